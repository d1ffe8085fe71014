"""The HDF5 layout of AllenNLP's former command `elmo`: a data set per line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import h5py
import numpy

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Part
from elmo_plugin.embedding.vectors import Vectors
from elmo_plugin.weights.hdf5 import hdf5_errors, whole_dataset

INDEX = "sentence_to_index"


def check(encoder: BlockEncoder) -> None:
    """Accept all options."""


def write(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """
    Write a data set for each line, named by its number from 0: shape (tokens, dim) or, of all
    layers, (layers, tokens, dim). `sentence_to_index` is a JSON object from each line, its tokens
    joined by blanks, to its number; of equal lines, the last. Reading splits tokens at white space.
    """
    numbers: dict[str, str] = {}
    pooled = encoder.pooling is not None
    with atomic_write(out) as temporary, h5py.File(temporary, "w", locking=False) as file:
        line = 0
        for part in parts:
            ends = part.ends(pooled)
            for tokens, vectors in zip(part.tokens, numpy.split(part.vectors, ends[:-1])):
                name = str(line)
                file[name] = vectors[0] if pooled else _layers_first(vectors)
                numbers[" ".join(tokens)] = name
                line += 1
        index = file.create_dataset(INDEX, (1,), h5py.string_dtype())
        index[0] = json.dumps(numbers)


def _layers_first(vectors: numpy.ndarray) -> numpy.ndarray:
    return vectors if vectors.ndim == 2 else vectors.swapaxes(0, 1)


class AllennlpVectors(Vectors):
    """
    # Parameters

    path : `str`

    # Raises

    `ValueError` : another kind of file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with hdf5_errors(path):
            self._file = h5py.File(path, "r")
            names = set(self._file) - {INDEX}
            self._length = len(names)
            if names != set(map(str, range(self._length))):
                raise ValueError("expected data sets that are numbered from 0, found others")
        self._lines: dict[int, str] | None = None

    def __len__(self) -> int:
        return self._length

    def read(self, index: int) -> numpy.ndarray:
        with hdf5_errors(self.path):
            vectors = whole_dataset(self._file, str(index))[()]
        return vectors if vectors.ndim < 3 else vectors.swapaxes(0, 1)

    def read_tokens(self, index: int) -> list[str]:
        if self._lines is None:
            if INDEX not in self._file:
                raise ValueError(f"{self.path}: expected tokens in {INDEX}, found none")
            with hdf5_errors(self.path):
                numbers = json.loads(whole_dataset(self._file, INDEX)[0])
            self._lines = {int(number): line for line, number in numbers.items()}
        if index not in self._lines:
            raise ValueError(f"{self.path}: expected the tokens of line {index}, found none")
        return self._lines[index].split()

    def close(self) -> None:
        self._file.close()
