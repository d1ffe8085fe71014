"""Static word vectors and CoVe."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import torch

from elmo_plugin.data.static_vectors import read_static_vectors
from elmo_plugin.weights.cove_file import load_cove
from fuzzing.damage import damage_file
from fuzzing.damage_weights import damage_weights
from fuzzing.kind import check_finite, check_same
from fuzzing.single_file import SingleFile


class Vectors(SingleFile):
    name, file = "static vectors", "vectors.txt"

    def run(self, rng: random.Random, directory: Path) -> None:
        vectors = read_static_vectors(self.file)
        check_finite([vectors.vectors, vectors.embed([["the", "Oslo"], ["late"]])], self.file)


class CoveFile(SingleFile):
    name, file = "CoVe", "cove.th"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file, (damage_weights,) if rng.random() < 0.4 else ())

    def run(self, rng: random.Random, directory: Path) -> None:
        cove = load_cove(self.file)
        check_finite(cove.state_dict().values(), self.file)
        check_finite(cove(torch.ones(1, 2, cove.input_dim), torch.ones(1, 2).bool()), self.file)
        if not _is_intact(directory / self.file):
            expected = load_cove(self.material / self.file)
            check_same(cove.state_dict(), expected.state_dict(), self.file)


def _is_intact(file: Path) -> bool:
    """Return True if the checksums in a file that torch saved hold."""
    try:
        return zipfile.ZipFile(file).testzip() is None
    except (OSError, ValueError, zipfile.BadZipFile):
        return False
