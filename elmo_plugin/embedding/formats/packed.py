"""An HDF5 file with the vectors of all tokens in one dataset, for `elmo_precomputed`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy

from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Part
from elmo_plugin.embedding.vectors import Vectors
from elmo_plugin.weights.activations_file import (
    CHECKSUMS,
    ENDS,
    LAYERS,
    TOKENS,
    Activations,
    write_activations,
)
from elmo_plugin.weights.hdf5 import hdf5_errors
from elmo_plugin.weights.stored_activations import open_activations


def check(encoder: BlockEncoder) -> None:
    """Raise a `ValueError` with pooling."""
    if encoder.pooling is not None:
        raise ValueError(
            f"packed: expected no pooling, as it holds a vector per token, got {encoder.pooling}; "
            "the formats parquet and npy hold vectors of sentences"
        )


def write(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """Write the file, see `embed_corpus` and `write_activations`."""
    write_activations(map(_activations, parts), out, encoder.max_characters)


def _activations(part: Part) -> Activations:
    vectors = part.vectors
    return Activations(part.tokens, part.keys, vectors if vectors.ndim == 3 else vectors[:, None])


class PackedVectors(Vectors):
    """
    Reads HDF5 files of the format "packed".

    # Parameters

    path : `str`

    # Raises

    `ValueError` : another kind of file, or a damaged one.
    """

    format = "packed"

    def __init__(self, path: str) -> None:
        self.path = path
        self._file, datasets = open_activations(path)
        with hdf5_errors(path):
            self._layers, self._tokens = datasets[LAYERS], datasets[TOKENS]
            self._limits = numpy.concatenate([[0], datasets[ENDS][:]])
            self._checksums = datasets[CHECKSUMS][:]
        self._lines: numpy.ndarray | None = None

    def __len__(self) -> int:
        return len(self._limits) - 1

    def _read(self, index: int) -> numpy.ndarray:
        with hdf5_errors(self.path):
            vectors = self._layers[self._limits[index] : self._limits[index + 1]]
        if zlib.crc32(vectors) != self._checksums[index]:
            raise ValueError(f"{self.path}: expected whole vectors of line {index}, found damage")
        return vectors if vectors.shape[1] > 1 else vectors[:, 0]

    def _read_tokens(self, index: int) -> list[str]:
        with hdf5_errors(self.path):
            if self._lines is None:
                self._lines = self._starts_of_lines()
            line = self._tokens[self._lines[index] : self._lines[index + 1]]
            tokens = json.loads(line.tobytes())
            length = self._limits[index + 1] - self._limits[index]
            if not isinstance(tokens, list) or len(tokens) != length:
                raise ValueError(f"expected {length} tokens of line {index}, found {tokens!r:.80}")
        return tokens

    def _starts_of_lines(self) -> numpy.ndarray:
        ends = numpy.flatnonzero(self._tokens[:] == ord("\n")) + 1
        if len(ends) != len(self):
            raise ValueError(f"{TOKENS}: expected {len(self)} lines, found {len(ends)}")
        return numpy.concatenate([[0], ends])

    def close(self) -> None:
        super().close()
        self._file.close()
