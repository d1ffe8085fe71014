"""The HDF5 layout of AllenNLP's former command `elmo`: a dataset per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

import h5py
import numpy

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Part
from elmo_plugin.embedding.vectors import Vectors, checked
from elmo_plugin.weights.hdf5 import hdf5_errors, holds_floats, whole_dataset
from elmo_plugin.weights.hdf5_writing import new_hdf5_file, write_checksummed

INDEX = "sentence_to_index"


def check(encoder: BlockEncoder) -> None:
    """Accept all options."""


def write(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """
    Write a dataset for each line, named by its number from 0: shape (tokens, dim) or, of all
    layers, (layers, tokens, dim). `sentence_to_index` is a JSON object from each line, its tokens
    joined by blanks, to its number; of equal lines, the last. Reading splits tokens at white space.

    # Raises

    `ValueError` : a token with white space.
    """
    numbers: dict[str, str] = {}
    pooled = encoder.pooling is not None
    with atomic_write(out) as temporary, new_hdf5_file(temporary) as file:
        line = 0
        for part in file.interruptible(parts):
            ends = part.ends(pooled)
            for tokens, vectors in zip(part.tokens, numpy.split(part.vectors, ends[:-1])):
                name = str(line)
                _write(file, name, vectors[0] if pooled else _layers_first(vectors))
                numbers[_joined(tokens, f"{out}: sentence {line + 1}")] = name
                line += 1
        # A string of fixed length: HDF5 has no checksums for strings of variable length.
        write_checksummed(file, INDEX, numpy.array([json.dumps(numbers).encode()]))


def _joined(tokens: Sequence[str], source: str) -> str:
    for token in tokens:
        if token.split() != [token]:
            raise ValueError(
                f"{source}: expected tokens without white space, which AllenNLP's layout separates "
                f"tokens by, found {token!r:.80}; the other formats hold any tokens"
            )
    return " ".join(tokens)


def _write(file: h5py.File, name: str, vectors: numpy.ndarray) -> None:
    if vectors.size:
        write_checksummed(file, name, vectors)
    else:
        file[name] = vectors


def _layers_first(vectors: numpy.ndarray) -> numpy.ndarray:
    return vectors if vectors.ndim == 2 else vectors.swapaxes(0, 1)


class AllennlpVectors(Vectors):
    """
    Reads files in the layout of AllenNLP's former command `elmo`.

    # Parameters

    path : `str`

    # Raises

    `ValueError` : another kind of file.
    """

    format = "allennlp"

    def __init__(self, path: str) -> None:
        self.path = path
        with hdf5_errors(path), ExitStack() as stack:
            self._file = stack.enter_context(h5py.File(path, "r"))
            names = set(self._file) - {INDEX}
            self._length = len(names)
            if others := names - set(map(str, range(self._length))):
                raise ValueError(
                    f"expected datasets that are numbered from 0, found {min(others)!r:.80}"
                )
            stack.pop_all()  # leaves the file open
        self._lines: dict[int, str] | None = None

    def __len__(self) -> int:
        return self._length

    def _read(self, index: int) -> numpy.ndarray:
        with hdf5_errors(self.path):
            dataset = whole_dataset(self._file, str(index))
            if not holds_floats(dataset) or dataset.ndim not in (1, 2, 3):
                raise ValueError(
                    f"{index}: expected floating-point numbers in 1 to 3 dimensions, found "
                    f"{dataset.dtype} of shape {dataset.shape}"
                )
            vectors = dataset[()]
        checked(vectors, self.path, index)
        return vectors if vectors.ndim < 3 else vectors.swapaxes(0, 1)

    def _read_tokens(self, index: int) -> list[str]:
        if self._lines is None:
            if INDEX not in self._file:
                raise ValueError(f"{self.path}: expected tokens in {INDEX}, found none")
            with hdf5_errors(self.path):
                self._lines = _lines(whole_dataset(self._file, INDEX))
        if index not in self._lines:
            raise ValueError(
                f"{self.path}: expected the tokens of line {index}, found none: of equal "
                "lines, this layout has the tokens of the last only"
            )
        return self._lines[index].split()

    def close(self) -> None:
        super().close()
        self._file.close()


def _lines(index: h5py.Dataset) -> dict[int, str]:
    """Return the lines of `sentence_to_index` by number."""
    numbers = json.loads(index[0]) if index.shape == (1,) else None
    if not isinstance(numbers, dict):
        raise ValueError(f"{INDEX}: expected a JSON object, found {index} of {numbers!r:.80}")
    return {int(number): line for line, number in numbers.items()}
