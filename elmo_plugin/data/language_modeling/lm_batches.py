"""What the biLM reads and predicts, as the arrays that its model takes."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy
import torch

from elmo_plugin.layers.char_ids import BOS_TOKEN, EOS_TOKEN, word_to_ids
from elmo_plugin.layers.language_model import IGNORE_INDEX
from elmo_plugin.weights.vocabulary_file import UNKNOWN


class TokenSequence(NamedTuple):
    """Words of one stretch of text in reading order, and the word that follows each of them."""

    inputs: list[str]
    targets: list[str]


def forward_sequence(sentence: Sequence[str]) -> TokenSequence:
    """From its start: each word predicts the next, the last word the end of the sentence."""
    return TokenSequence([BOS_TOKEN, *sentence], [*sentence, EOS_TOKEN])


def backward_sequence(sentence: Sequence[str]) -> TokenSequence:
    """From its end: each word predicts the one before, the first word the start."""
    reverse = sentence[::-1]
    return TokenSequence([EOS_TOKEN, *reverse], [*reverse, BOS_TOKEN])


class LmBatchBuilder:
    """
    Makes a model's input from rows of text.

    # Parameters

    word_ids : `Mapping[str, int]`
        The vocabulary, with `<UNK>` for the words it lacks.
    max_characters : `int`, optional (default = `50`)
    """

    # Words whose character ids are kept, so that frequent words are converted once.
    _REMEMBERED = 500_000

    def __init__(self, word_ids: Mapping[str, int], max_characters: int = 50) -> None:
        self._word_ids = word_ids
        self._unknown = word_ids[UNKNOWN]
        self._max_characters = max_characters
        self._characters: dict[str, bytes] = {}

    def window(
        self, forward: Sequence[TokenSequence], backward: Sequence[TokenSequence]
    ) -> dict[str, torch.Tensor]:
        """
        # Returns

        `Dict[str, torch.Tensor]` :
            words, character ids of each distinct word, shape (words, max_characters);
            inputs, which of them each direction reads, shape (2, rows, steps);
            targets, vocabulary ids of what comes next, `IGNORE_INDEX` after a row's end, likewise.
        """
        rows = [*forward, *backward]
        steps = max(len(row.inputs) for row in rows)
        inputs = numpy.zeros((len(rows), steps), dtype=numpy.int64)
        targets = numpy.full((len(rows), steps), IGNORE_INDEX, dtype=numpy.int64)
        place: dict[str, int] = {}
        for i, row in enumerate(rows):
            inputs[i, : len(row.inputs)] = [place.setdefault(w, len(place)) for w in row.inputs]
            targets[i, : len(row.targets)] = self._ids(row.targets)
        shape = (2, len(forward), steps)
        return {
            "words": torch.from_numpy(self._character_ids(place)),
            "inputs": torch.from_numpy(inputs).view(shape),
            "targets": torch.from_numpy(targets).view(shape),
        }

    def _ids(self, words: Iterable[str]) -> list[int]:
        return [self._word_ids.get(word, self._unknown) for word in words]

    def _character_ids(self, words: Iterable[str]) -> numpy.ndarray:
        ids = numpy.frombuffer(b"".join(map(self._encoded, words)), dtype=numpy.int16)
        return ids.reshape(-1, self._max_characters).astype(numpy.int64)

    def _encoded(self, word: str) -> bytes:
        encoded = self._characters.get(word)
        if encoded is None:
            encoded = array("h", word_to_ids(word, self._max_characters)).tobytes()
            if len(self._characters) < self._REMEMBERED:
                self._characters[word] = encoded
        return encoded
