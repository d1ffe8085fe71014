"""Writing a frozen biLM's layers of a data set's sentences to one HDF5 file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Union

import h5py
import numpy
import torch

from elmo_plugin.layers import Bilm
from elmo_plugin.layers.sentence_layers import sentence_keys, split_sentences
from elmo_plugin.weights.whole_file import whole_file

PathLike = Union[str, Path]

# What the file holds, for sentences 0, 1, ...:
LAYERS = "layers"  # (tokens of all sentences, layers, dim), sentence after sentence
ENDS = "ends"  # (sentences,), where in `layers` each ends
KEYS = "keys"  # (sentences, bytes), what each is found by, see `sentence_keys`
TOKENS = "tokens"  # (sentences,), each one's tokens as a JSON array, to be read by people
MAX_CHARACTERS = "max_characters"  # an attribute: the biLM's

TOKENS_AT_ONCE = 4096


class Sentence(NamedTuple):
    """A sentence as people and as the biLM read it."""

    tokens: Sequence[str]
    character_ids: torch.Tensor
    """Shape (tokens, characters)."""


def write_layers(
    bilm: Bilm,
    sentences: Iterable[Sentence],
    path: PathLike,
    dtype: str = "float32",
    progress: Callable[[list[list[Sentence]]], Iterable[list[Sentence]]] = iter,
) -> None:
    """
    The biLM's layers of each distinct sentence, for `StoredLayers`. The same sentences make the
    same file.

    # Parameters

    bilm : `Bilm`
    sentences : `Iterable[Sentence]`
    path : `str` or `Path`
    dtype : `str`, optional (default = `"float32"`)
        Or "float16", half as large and less exact.
    progress : `Callable`, optional (default = `iter`)
        Goes through the batches, to show how far it is.

    # Raises

    `ValueError` : no sentences, or a biLM whose layers of a sentence do not depend on it alone.
    """
    if bilm.initial_state == "carried":
        raise ValueError('initial_state: expected "zero" or "warm", got "carried"')
    distinct = {_key(sentence): sentence for sentence in sentences if len(sentence.tokens)}
    if not distinct:
        raise ValueError("expected sentences, found none")
    # By length, so that batches hold little padding.
    ordered = dict(sorted(distinct.items(), key=lambda item: len(item[1].tokens)))
    ends = numpy.cumsum([len(s.tokens) for s in ordered.values()], dtype=numpy.int64)
    shape = (int(ends[-1]), bilm.mixture_size, bilm.output_dim)
    with whole_file(path) as temporary, h5py.File(temporary, "w") as file:
        file.attrs[MAX_CHARACTERS] = bilm.config.max_characters
        file[ENDS] = ends
        file[KEYS] = numpy.frombuffer(b"".join(ordered), numpy.uint8).reshape(len(ordered), -1)
        tokens = [json.dumps(list(s.tokens)) for s in ordered.values()]
        file.create_dataset(TOKENS, data=tokens, dtype=h5py.string_dtype())
        layers = file.create_dataset(LAYERS, shape, dtype)
        start = 0
        for batch in progress(_batches(list(ordered.values()))):
            words = torch.cat(_run(bilm, batch))
            layers[start : start + len(words)] = words.numpy()
            start += len(words)


def _key(sentence: Sentence) -> bytes:
    ids = sentence.character_ids.unsqueeze(0)
    (key,) = sentence_keys(ids, ids.new_ones(ids.shape[:2]))
    return key


@torch.no_grad()
def _run(bilm: Bilm, batch: list[Sentence]) -> list[torch.Tensor]:
    ids = torch.nn.utils.rnn.pad_sequence([s.character_ids for s in batch], batch_first=True)
    return split_sentences(bilm(ids.to(bilm.boundaries.device)))


def _batches(sentences: list[Sentence]) -> list[list[Sentence]]:
    """In order, each of about as many tokens; the longest sentence comes last."""
    batches: list[list[Sentence]] = [[]]
    for sentence in sentences:
        if (len(batches[-1]) + 1) * len(sentence.tokens) > TOKENS_AT_ONCE and batches[-1]:
            batches.append([])
        batches[-1].append(sentence)
    return [batch for batch in batches if batch]
