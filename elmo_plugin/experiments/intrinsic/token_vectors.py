"""Encodes sentences in batches and collects the vectors of tokens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy
import torch

from elmo_plugin.common.progress import progress
from elmo_plugin.embedding.batches import batches_by_length
from elmo_plugin.experiments.intrinsic.representations import Representation, Sentences

Span = tuple[int, int, int]
"""Sentence, first token, and the token after the last."""


def encode_batches(
    representation: Representation, sentences: Sentences, description: str
) -> Iterator[tuple[list[int], torch.Tensor]]:
    """
    Encode all sentences, in batches of similar length, with a progress bar.

    # Returns

    `Iterator` : indices of sentences, and their vectors of shape (layers, batch, tokens, dim).
    """
    batches = list(batches_by_length([*map(len, sentences)], representation.batch_size))
    for indices in progress(batches, description, "batches"):
        with torch.inference_mode():
            vectors = representation.encode([sentences[i] for i in indices]).cpu()
        if not vectors.isfinite().all():
            raise ValueError(f"{description}: expected finite vectors, found NaN or infinity")
        yield indices, vectors


def span_vectors(
    representation: Representation,
    sentences: Sentences,
    spans: Sequence[Span],
    description: str,
) -> numpy.ndarray:
    """Return the mean vector of each span of tokens, by layer. Shape (layers, spans, dim)."""
    spans_of_sentence: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for span, (sentence, start, end) in enumerate(spans):
        spans_of_sentence[sentence].append((span, start, end))
    output = numpy.empty(0)
    for indices, vectors in encode_batches(representation, sentences, description):
        layers = vectors.numpy()
        if not output.size:
            output = numpy.empty((len(layers), len(spans), layers.shape[-1]), layers.dtype)
        for row, sentence in enumerate(indices):
            for span, start, end in spans_of_sentence[sentence]:
                output[:, span] = layers[:, row, start:end].mean(1)
    return output
