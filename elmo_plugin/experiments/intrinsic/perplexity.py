"""Perplexity of a text under a biLM, and under a unigram model."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Union

import torch

from elmo_plugin.data.language_modeling.lm_batches import (
    LmBatchBuilder,
    backward_sequence,
    forward_sequence,
)
from elmo_plugin.layers.char_ids import EOS_TOKEN
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.perplexity import PerplexitySum
from elmo_plugin.weights.vocabulary_file import UNKNOWN

Sentences = Iterable[Sequence[str]]
Batch = list[Sequence[str]]


@torch.no_grad()
def bilm_perplexity(
    model: LanguageModel,
    words: Sequence[str],
    sentences: Sentences,
    batch_size: int = 64,
    device: Union[str, torch.device] = "cpu",
    progress: Callable[[list[Batch]], Iterable[Batch]] = iter,
) -> dict[str, float]:
    """
    Perplexity with the full softmax, over words and sentence ends, each sentence by itself.

    # Parameters

    model : `LanguageModel`
    words : `Sequence[str]`
        The word of each row of its softmax.
    sentences : `Iterable[Sequence[str]]`
    batch_size : `int`, optional (default = `64`)
        Sentences per batch.
    device : `torch.device`, optional (default = `"cpu"`)
    progress : `Callable`, optional (default = `iter`)

    # Returns

    `Dict[str, float]` : forward_perplexity, backward_perplexity and perplexity.
    """
    model.eval().to(device)
    word_ids = {word: row for row, word in enumerate(words)}
    builder = LmBatchBuilder(word_ids, model.bilm.config.max_characters)
    # Sorted, so that batches hold little padding.
    ordered = sorted(sentences, key=len)
    batches = [list(ordered[i : i + batch_size]) for i in range(0, len(ordered), batch_size)]
    total = PerplexitySum()
    for batch in progress(batches):
        window = builder.build([*map(forward_sequence, batch)], [*map(backward_sequence, batch)])
        output = model(**{name: tensor.to(device) for name, tensor in window.items()})
        total.add(-output.log_likelihoods.sum(1), output.num_predictions.sum(1))
    return total.perplexities()


def unknown_fraction(sentences: Sentences, word_ids: Mapping[str, int]) -> float:
    """Fraction of words, sentence ends not counted, that are outside the vocabulary."""
    known = Counter(word in word_ids and word != UNKNOWN for words in sentences for word in words)
    return known[False] / known.total()


def unigram_perplexity(train: Sentences, text: Sentences, word_ids: Mapping[str, int]) -> float:
    """
    Perplexity of a unigram model: relative frequencies in `train` with add-one smoothing. Words
    outside the vocabulary are one word, and each sentence has an end, as for a biLM.
    """
    counts = Counter(dict.fromkeys(word_ids, 1))
    counts.update(_predicted(train, word_ids))
    total = math.log(sum(counts.values()))
    losses = [total - math.log(counts[word]) for word in _predicted(text, word_ids)]
    return math.exp(math.fsum(losses) / len(losses))


def _predicted(sentences: Sentences, word_ids: Mapping[str, int]) -> Iterator[str]:
    for sentence in sentences:
        yield from (word if word in word_ids else UNKNOWN for word in sentence)
        yield EOS_TOKEN
