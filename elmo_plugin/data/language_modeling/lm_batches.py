"""Batches for language modeling: token sequences as the tensors that the biLM takes."""

from collections.abc import Iterable, Mapping, Sequence
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
        steps = max(len(sequence.inputs) for sequence in sequences)
        inputs = numpy.zeros((len(sequences), steps), dtype=numpy.int64)
        targets = numpy.full((len(sequences), steps), IGNORE_INDEX, dtype=numpy.int64)
        index: dict[str, int] = {}
        for i, (words, next_words) in enumerate(sequences):
            inputs[i, : len(words)] = [index.setdefault(word, len(index)) for word in words]
            targets[i, : len(words)] = self._lookup(next_words)
        shape = (2, len(forward), steps)
        return {
            "words": torch.from_numpy(self._character_ids(index)),
            "inputs": torch.from_numpy(inputs).view(shape),
            "targets": torch.from_numpy(targets).view(shape),
        }

    def _lookup(self, words: Iterable[str]) -> list[int]:
        return [self._word_ids.get(word, self._unknown) for word in words]

    def _character_ids(self, words: Iterable[str]) -> "numpy.ndarray[Any, Any]":
        ids = numpy.frombuffer(b"".join(map(self._encode, words)), dtype=numpy.int16)
        return ids.reshape(-1, self._max_characters).astype(numpy.int64)

    def _encode(self, word: str) -> bytes:
        encoded = self._cache.get(word)
        if encoded is None:
            encoded = word_bytes(word, self._max_characters)
            if len(self._cache) < self._cached_words:
                self._cache[word] = encoded
        return encoded
