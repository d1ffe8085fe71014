"""Static word vectors: one a word, wherever it stands."""

import re
from array import array
from collections.abc import Sequence
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import numbered_lines

_HEADER = re.compile(r"\s*[0-9]{1,18} +[0-9]{1,18}\s*")


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


@configuration_errors()
def read_static_vectors(file: str) -> StaticVectors:
    """
    # Parameters

    file : `str`
        A word and its numbers a line, as GloVe's, or with a line of two numbers before, as
        word2vec's. Plain or `.gz`.

    # Raises

    `ConfigurationError` : a line of another number of dimensions or of no numbers, numbers that are
    not finite, or fewer or other vectors than the first line says; names the file and the line.
    """
    words: list[str] = []
    numbers = array("f")
    header: list[int] = []
    dim = -1
    for number, line in Tqdm.tqdm(numbered_lines(file), desc="static vectors", unit=" words"):
        if number == 1 and _HEADER.fullmatch(line):
            header = [int(size) for size in line.split()]
            continue
        # From the right: some published words have spaces.
        word, *values = line.rstrip().rsplit(" ", dim)
        dim = len(values) if not words else dim
        try:
            numbers.extend(map(float, values))
        except ValueError as error:
            raise ConfigurationError(
                f"{file}, line {number}: expected a word and its vector, found: {error}"
            ) from error
        if not values or len(values) != dim or _takes_in_a_number(word):
            found = "more" if values and len(values) == dim else len(values)
            raise ConfigurationError(
                f"{file}, line {number}: expected {max(dim, 1)} dimensions, found {found}"
            )
        words.append(word)
    vectors = torch.tensor(numbers).view(len(words), dim if words else 0)
    _check_header(file, header, vectors)
    _check_finite(file, len(header) // 2, vectors)
    return StaticVectors(words, vectors)


def _takes_in_a_number(word: str) -> bool:
    """Return True if a word ends in a space and a number: its vector is longer than expected."""
    _, space, last = word.rpartition(" ")
    try:
        float(last)
    except ValueError:
        return False
    return bool(space)


def _check_header(file: str, header: list[int], vectors: torch.Tensor) -> None:
    if not len(vectors):
        raise ConfigurationError(f"{file}: expected a word and its vector a line, found none")
    if header and header != list(vectors.shape):
        found = " of ".join(map(str, vectors.shape))
        raise ConfigurationError(
            f"{file}: expected {header[0]} vectors of {header[1]} dimensions, as line 1 says, "
            f"found {found}"
        )


def _check_finite(file: str, lines_before: int, vectors: torch.Tensor) -> None:
    bad = (~vectors.isfinite()).any(1).nonzero()
    if len(bad):
        row = int(bad[0])
        raise ConfigurationError(
            f"{file}, line {row + lines_before + 1}: expected finite numbers, found others"
        )
