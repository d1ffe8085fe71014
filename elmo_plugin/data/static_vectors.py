"""Static word vectors: one a word, wherever it stands."""

from array import array
from collections.abc import Sequence
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from elmo_plugin.data.text import numbered_lines


class StaticVectors:
    """
    A vector of each word. A word that has none takes that of its lower-cased form, or else zeros.

    # Parameters

    words : `List[str]`
    vectors : `torch.Tensor`
        Shape (words, dim).
    """

    def __init__(self, words: list[str], vectors: torch.Tensor) -> None:
        self.words = words
        self.vectors = vectors
        self._rows = {word: row for row, word in enumerate(words)}

    @property
    def dim(self) -> int:
        return self.vectors.size(1)

    def row(self, word: str) -> Optional[int]:
        """Where a word's vector stands, if there is one."""
        return self._rows.get(word, self._rows.get(word.lower()))

    def embed(self, sentences: Sequence[list[str]]) -> torch.Tensor:
        """Zeros after the end of a sentence. Shape (batch, tokens, dim)."""
        output = self.vectors.new_zeros(len(sentences), max(map(len, sentences)), self.dim)
        for vectors, sentence in zip(output, sentences):
            for position, word in enumerate(sentence):
                row = self.row(word)
                if row is not None:
                    vectors[position] = self.vectors[row]
        return output


def read_static_vectors(file: str) -> StaticVectors:
    """
    # Parameters

    file : `str`
        A word and its numbers a line, as GloVe's, or with a line of two numbers before, as
        word2vec's. Plain or `.gz`.

    # Raises

    `ConfigurationError` : a line of another number of dimensions, or of no numbers.
    """
    words: list[str] = []
    numbers = array("f")
    dim = -1
    for number, line in Tqdm.tqdm(numbered_lines(file), desc="static vectors", unit=" words"):
        # From the right: some published words have spaces.
        word, *values = line.rstrip().rsplit(" ", dim)
        if number == 1 and len(values) == 1:
            continue
        dim = len(values) if not words else dim
        try:
            numbers.extend(map(float, values))
        except ValueError as error:
            raise ConfigurationError(
                f"{file}, line {number}: expected a word and its vector, found: {error}"
            ) from error
        if len(values) != dim or not values:
            raise ConfigurationError(
                f"{file}, line {number}: expected {dim} dimensions, found {len(values)}"
            )
        words.append(word)
    return StaticVectors(words, torch.tensor(numbers).view(len(words), dim))
