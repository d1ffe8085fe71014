"""Batches for language modeling: token sequences as the tensors that the biLM takes."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy
import torch

from elmo_plugin.layers.char_ids import BOS_TOKEN, EOS_TOKEN, word_bytes
from elmo_plugin.layers.language_model import IGNORE_INDEX
from elmo_plugin.weights.vocabulary_file import UNKNOWN

_CACHED_WORDS = 500_000


class TokenSequence(NamedTuple):
    """Tokens in reading order, and the token to predict after each of them."""

    inputs: list[str]
    targets: list[str]


def forward_sequence(sentence: Sequence[str]) -> TokenSequence:
    """Return `<S> w_1 ... w_n` with the targets `w_1 ... w_n </S>`."""
    return TokenSequence([BOS_TOKEN, *sentence], [*sentence, EOS_TOKEN])


def backward_sequence(sentence: Sequence[str]) -> TokenSequence:
    """Return `</S> w_n ... w_1` with the targets `w_n ... w_1 <S>`."""
    reverse = sentence[::-1]
    return TokenSequence([EOS_TOKEN, *reverse], [*reverse, BOS_TOKEN])


class LmBatchBuilder:
    """
    Builds a biLM's input from token sequences.

    # Parameters

    word_ids : `Mapping[str, int]`
        The vocabulary, with `<UNK>` for unknown words.
    max_characters : `int`, optional (default = `50`)
        Character ids per word.
    cached_words : `int`, optional (default = `500_000`)
        Number of words whose character ids are kept, so that frequent words are converted once.
    """

    def __init__(
        self,
        word_ids: Mapping[str, int],
        max_characters: int = 50,
        cached_words: int = _CACHED_WORDS,
    ) -> None:
        self._word_ids = word_ids
        self._unknown = word_ids[UNKNOWN]
        self._max_characters = max_characters
        self._cached_words = cached_words
        self._cache: dict[str, bytes] = {}

    def build(
        self, forward: Sequence[TokenSequence], backward: Sequence[TokenSequence]
    ) -> dict[str, torch.Tensor]:
        """
        Build a batch with each distinct word once.

        # Parameters

        forward, backward : `Sequence[TokenSequence]`
            As many sequences in each direction.

        # Returns

        `Dict[str, torch.Tensor]` :
            words, character ids of the unique words, shape (words, max_characters);
            inputs, indices into `words`, shape (2, batch, steps), forward first;
            targets, vocabulary ids of the next words, `IGNORE_INDEX` at padding, same shape.
        """
        sequences = [*forward, *backward]
        lengths = [len(sequence.inputs) for sequence in sequences]
        # Built-in functions loop here: a loop in Python takes longer than a training step on a GPU.
        words = list(chain.from_iterable(sequence.inputs for sequence in sequences))
        next_words = chain.from_iterable(sequence.targets for sequence in sequences)
        index = {word: number for number, word in enumerate(dict.fromkeys(words))}
        inputs = _pad(map(index.__getitem__, words), lengths, 0)
        ids = map(self._word_ids.get, next_words, repeat(self._unknown))
        targets = _pad(ids, lengths, IGNORE_INDEX)
        shape = (2, len(forward), max(lengths))
        return {
            "words": torch.from_numpy(self._character_ids(index)),
            "inputs": torch.from_numpy(inputs).view(shape),
            "targets": torch.from_numpy(targets).view(shape),
        }

    def _character_ids(self, words: Iterable[str]) -> "numpy.ndarray[Any, Any]":
        encoded = b"".join(self._cache.get(word) or self._encode(word) for word in words)
        ids = numpy.frombuffer(encoded, dtype=numpy.int16)
        return ids.reshape(-1, self._max_characters).astype(numpy.int64)

    def _encode(self, word: str) -> bytes:
        encoded = word_bytes(word, self._max_characters)
        if len(self._cache) < self._cached_words:
            self._cache[word] = encoded
        return encoded


def _pad(values: Iterable[int], lengths: list[int], padding: int) -> "numpy.ndarray[Any, Any]":
    """Return the values of all rows as a matrix. Shape (rows, longest)."""
    padded = numpy.full((len(lengths), max(lengths)), padding, dtype=numpy.int64)
    is_value = numpy.arange(max(lengths)) < numpy.array(lengths)[:, None]
    padded[is_value] = numpy.fromiter(values, numpy.int64, sum(lengths))
    return padded
