"""Static word vectors: one per word, in every context."""

import re
from array import array
from collections.abc import Sequence
from typing import Optional

import numpy
import torch

from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import numbered_lines
from elmo_plugin.common.vector_lines import parse_vector

_HEADER = re.compile(r"\s*[0-9]{1,18} +[0-9]{1,18}\s*")


class StaticVectors:
    """
    Word vectors. A word without one gets that of its lowercased form, or zeros.

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
        """Return the row of a word's vector, or `None`."""
        return self._rows.get(word, self._rows.get(word.lower()))

    def embed(self, sentences: Sequence[list[str]]) -> torch.Tensor:
        """Return padded vectors, zero after the end of a sentence. Shape (batch, tokens, dim)."""
        output = self.vectors.new_zeros(
            len(sentences), max(map(len, sentences), default=0), self.dim
        )
        for vectors, sentence in zip(output, sentences):
            for position, word in enumerate(sentence):
                row = self.row(word)
                if row is not None:
                    vectors[position] = self.vectors[row]
        return output


def read_static_vectors(file: str) -> StaticVectors:
    """
    Read GloVe's or word2vec's text format.

    # Parameters

    file : `str`
        A word and its vector per line; optionally a first line with the numbers of words and of
        dimensions. Plain or `.gz`.

    # Raises

    `ValueError` : a line without a vector or with another number of dimensions, numbers
    that are not finite, or sizes that contradict the first line; names the file and the line.
    """
    words: list[str] = []
    numbers = array("f")
    header: list[int] = []
    dim = -1
    for number, line in progress(numbered_lines(file), "static vectors", "words"):
        if number == 1 and _HEADER.fullmatch(line):
            header = [int(size) for size in line.split()]
            continue
        word, values = parse_vector(line, dim, f"{file}, line {number}")
        dim = len(values)
        words.append(word)
        numbers.extend(values)
    vectors = torch.from_numpy(numpy.asarray(numbers)).view(len(words), max(dim, 0))
    _check_header(file, header, vectors)
    _check_finite(file, len(header) // 2, vectors)
    return StaticVectors(words, vectors)


def _check_header(file: str, header: list[int], vectors: torch.Tensor) -> None:
    if not len(vectors):
        raise ValueError(f"{file}: expected a word and its vector per line, found none")
    if header and header != list(vectors.shape):
        found = " of ".join(map(str, vectors.shape))
        raise ValueError(
            f"{file}: expected {header[0]} vectors of {header[1]} dimensions, as line 1 says, "
            f"found {found}"
        )


def _check_finite(file: str, lines_before: int, vectors: torch.Tensor) -> None:
    bad = (~vectors.isfinite()).any(1).nonzero()
    if len(bad):
        row = int(bad[0])
        raise ValueError(
            f"{file}, line {row + lines_before + 1}: expected finite numbers, found NaN or infinity"
        )
