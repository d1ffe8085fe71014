"""Vectors of sentences in every format of `elmo embed`, and its unfinished runs."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import ClassVar

import numpy

from elmo_plugin.embedding.open_vectors import open_vectors
from fuzzing.commands import elmo
from fuzzing.damage import damage_file
from fuzzing.damage_hdf5 import damage_hdf5
from fuzzing.kind import Kind, NotFinite, Refused, Wrong

Line = tuple[numpy.ndarray, list[str]]


class _SentenceVectors(Kind):
    """A file that `elmo embed` wrote, read line by line."""

    errors = (ValueError, OSError)
    file: ClassVar[str]
    has_checksums: ClassVar[bool] = True

    def __init__(self, material: Path) -> None:
        super().__init__(material)
        self._expected = _read_lines(material / self.file)

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / self.file, directory)

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file)

    def run(self, rng: random.Random, directory: Path) -> None:
        lines = _read_lines(directory / self.file)
        if not all(numpy.isfinite(vectors).all() for vectors, _ in lines):
            raise NotFinite(f"{self.file}: expected finite vectors, found others")
        if self.has_checksums and not _are_equal(lines, self._expected):
            raise Wrong(f"{self.file}: other vectors or tokens than the undamaged file has")


class PackedBytes(_SentenceVectors):
    name, file = "vectors, HDF5: bytes", "layers.hdf5"


class PackedStructure(_SentenceVectors):
    name, file = "vectors, HDF5: structure", "layers.hdf5"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_hdf5(rng, directory / self.file)


class AllennlpBytes(_SentenceVectors):
    name, file = "vectors, AllenNLP: bytes", "allennlp.hdf5"


class AllennlpStructure(AllennlpBytes):
    name, has_checksums = "vectors, AllenNLP: structure", False

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_hdf5(rng, directory / self.file)


class Parquet(_SentenceVectors):
    name, file = "vectors, Parquet", "layers.parquet"


class Npy(_SentenceVectors):
    name, file, has_checksums = "vectors, NumPy", "pooled.npy", False


class UnfinishedRun(Kind):
    """An interrupted `elmo embed`, resumed."""

    name = "unfinished embedding"
    errors = (OSError, Refused)
    out = "rest.hdf5"

    def write(self, directory: Path) -> None:
        shutil.copytree(self.material / f"{self.out}.partial", directory / f"{self.out}.partial")
        shutil.copytree(self.material / "exported", directory / "exported")
        shutil.copy(self.material / "heldout.txt", directory)

    def damage(self, rng: random.Random, directory: Path) -> None:
        files = sorted((directory / f"{self.out}.partial").iterdir())
        damage_file(rng, rng.choice(files))

    def run(self, rng: random.Random, directory: Path) -> None:
        elmo("embed", "heldout.txt", self.out, "--bilm", "exported", "--workers", 1)
        if (directory / self.out).read_bytes() != (self.material / "layers.hdf5").read_bytes():
            raise Wrong(f"{self.out}: other bytes than those of a run without interruption")

    def may_change(self, name: str, ended_well: bool) -> bool:
        return name.startswith(f"{self.out}.partial")


def _read_lines(file: Path) -> list[Line]:
    with open_vectors(file) as vectors:
        has_tokens = file.suffix != ".npy"
        return [
            (vectors[line], vectors.tokens(line) if has_tokens else [])
            for line in range(len(vectors))
        ]


def _are_equal(found: list[Line], expected: list[Line]) -> bool:
    return len(found) == len(expected) and all(
        numpy.array_equal(one[0], other[0]) and one[1] == other[1]
        for one, other in zip(found, expected)
    )
