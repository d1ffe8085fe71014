"""Perplexity of a text under a biLM, and under a unigram model."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heapreplace
from typing import Literal, NamedTuple, Union

import torch

from elmo_plugin.data.language_modeling.lm_batches import (
    LmBatchBuilder,
    TokenSequence,
    backward_sequence,
    forward_sequence,
)
from elmo_plugin.layers.char_ids import EOS_TOKEN
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.perplexity import PerplexitySum
from elmo_plugin.weights.vocabulary_file import UNKNOWN

Sentences = Iterable[Sequence[str]]
StartState = Literal["zero", "carried"]

_STEPS = 20
"""Tokens per stream in a batch. Perplexity does not depend on it."""


class Batch(NamedTuple):
    """Sequences to score in each direction, as many in both."""

    forward: list[TokenSequence]
    backward: list[TokenSequence]


@torch.no_grad()
def bilm_perplexity(
    model: LanguageModel,
    words: Sequence[str],
    sentences: Sentences,
    batch_size: int = 64,
    device: Union[str, torch.device] = "cpu",
    progress: Callable[[list[Batch]], Iterable[Batch]] = iter,
    initial_state: StartState = "zero",
) -> dict[str, float]:
    """
    Perplexity with the full softmax, over words and sentence ends.

    # Parameters

    model : `LanguageModel`
    words : `Sequence[str]`
        The word of each row of its softmax.
    sentences : `Iterable[Sequence[str]]`
    batch_size : `int`, optional (default = `64`)
        Sentences per batch.
    device : `torch.device`, optional (default = `"cpu"`)
    progress : `Callable`, optional (default = `iter`)
    initial_state : `str`, optional (default = `"zero"`)
        LSTM state that a sentence is read from. "zero": each sentence is scored by itself.
        "carried": the state after the sentence before in its stream, as bilm-tf tests a biLM. There
        are `batch_size` streams, and a stream that has ended a sentence takes the text's next one.

    # Returns

    `Dict[str, float]` : forward_perplexity, backward_perplexity and perplexity.
    """
    model.eval().to(device)
    word_ids = {word: row for row, word in enumerate(words)}
    builder = LmBatchBuilder(word_ids, model.bilm.config.max_characters)
    carried = initial_state == "carried"
    batches = (_stream_batches if carried else _sentence_batches)(list(sentences), batch_size)
    total, states = PerplexitySum(), None
    for batch in progress(batches):
        window = builder.build(*batch)
        window = {name: tensor.to(device) for name, tensor in window.items()}
        output = model(**window, states=states)
        states = output.states if carried else None
        total.add(-output.log_likelihoods.sum(1), output.num_predictions.sum(1))
    return total.perplexities()


def _sentence_batches(sentences: list[Sequence[str]], batch_size: int) -> list[Batch]:
    # Sorted, so that batches hold little padding. An empty sentence has an end to predict.
    ordered = sorted(sentences, key=len)
    parts = [ordered[i : i + batch_size] for i in range(0, len(ordered), batch_size)]
    return [Batch([*map(forward_sequence, p)], [*map(backward_sequence, p)]) for p in parts]


def _stream_batches(sentences: list[Sequence[str]], batch_size: int) -> list[Batch]:
    """Cut streams of sentences into windows, of which the last ones of a stream may be empty."""
    streams: list[list[Sequence[str]]] = [[] for _ in range(min(batch_size, len(sentences)))]
    # The number of tokens in each stream, and which it is.
    ends = [(0, number) for number in range(len(streams))]
    heapify(ends)
    for sentence in sentences:
        length, number = ends[0]
        streams[number].append(sentence)
        heapreplace(ends, (length + len(sentence) + 1, number))
    forward = [_joined(map(forward_sequence, stream)) for stream in streams]
    backward = [_joined(map(backward_sequence, stream)) for stream in streams]
    steps = range(0, max(ends, default=(0, 0))[0], _STEPS)
    return [Batch(_window(forward, step), _window(backward, step)) for step in steps]


def _joined(sequences: Iterable[TokenSequence]) -> TokenSequence:
    joined = TokenSequence([], [])
    for sequence in sequences:
        joined.inputs.extend(sequence.inputs)
        joined.targets.extend(sequence.targets)
    return joined


def _window(streams: list[TokenSequence], start: int) -> list[TokenSequence]:
    end = start + _STEPS
    return [TokenSequence(s.inputs[start:end], s.targets[start:end]) for s in streams]


def unknown_fraction(sentences: Sentences, word_ids: Mapping[str, int]) -> float:
    """Fraction of words, sentence ends not counted, that are outside the vocabulary."""
    known = Counter(word in word_ids and word != UNKNOWN for words in sentences for word in words)
    return known[False] / known.total()


class UnigramModel:
    """
    A unigram model: relative frequencies with add-one smoothing. Words outside the vocabulary are
    one word, and each sentence has an end, as for a biLM.

    # Parameters

    train : `Iterable[Sequence[str]]`
        Sentences that are counted.
    word_ids : `Mapping[str, int]`
        The vocabulary.
    """

    def __init__(self, train: Sentences, word_ids: Mapping[str, int]) -> None:
        self._word_ids = word_ids
        self._counts = Counter(dict.fromkeys(word_ids, 1))
        self._counts.update(_predicted(train, word_ids))
        self._log_total = math.log(self._counts.total())

    def perplexity(self, text: Sentences) -> float:
        """Return the perplexity of sentences."""
        words = _predicted(text, self._word_ids)
        losses = [self._log_total - math.log(self._counts[word]) for word in words]
        return math.exp(math.fsum(losses) / len(losses))


def _predicted(sentences: Sentences, word_ids: Mapping[str, int]) -> Iterator[str]:
    for sentence in sentences:
        yield from (word if word in word_ids else UNKNOWN for word in sentence)
        yield EOS_TOKEN
