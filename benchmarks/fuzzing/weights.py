"""A biLM's files: options, HDF5 weights, softmax, vocabulary, and stored activations."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import torch

from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.models.loading import load_language_model
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.resolve import OPTIONS, SOFTMAX, VOCABULARY, WEIGHTS
from elmo_plugin.weights.stored_activations import StoredActivations
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import damage_file
from fuzzing.damage_hdf5 import damage_hdf5
from fuzzing.damage_json import damage_json
from fuzzing.damage_text import damage_text
from fuzzing.kind import Kind, check_equal, check_finite, check_same

SENTENCES = [["It", "is", "late", "."], ["Oslo"]]


class _Bilm(Kind):
    """options.json and weights.hdf5, loaded and run."""

    errors = (ValueError, OSError)

    def write(self, directory: Path) -> None:
        for name in (OPTIONS, WEIGHTS):
            shutil.copy(self.material / "exported" / name, directory)

    def load(self, directory: Path) -> Bilm:
        bilm = load_bilm(directory / OPTIONS, directory / WEIGHTS)
        with torch.no_grad():
            layers = bilm(batch_to_ids(SENTENCES, bilm.config.max_characters)).layers
        check_finite([*bilm.state_dict().values(), layers], "vectors")
        return bilm

    def run(self, rng: random.Random, directory: Path) -> None:
        self.load(directory)


class Options(_Bilm):
    name = "options: JSON"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / OPTIONS, (damage_json,))


class WeightBytes(_Bilm):
    name = "weights: bytes"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / WEIGHTS)


class WeightStructure(_Bilm):
    name = "weights: structure"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_hdf5(rng, directory / WEIGHTS)

    def run(self, rng: random.Random, directory: Path) -> None:
        exported = self.material / "exported"
        expected = load_bilm(exported / OPTIONS, exported / WEIGHTS)
        check_same(self.load(directory).state_dict(), expected.state_dict(), WEIGHTS)


class LanguageModel(Kind):
    """A directory that `elmo export` wrote."""

    name = "exported directory"

    def write(self, directory: Path) -> None:
        shutil.copytree(self.material / "exported", directory / "exported")
        shutil.copy(self.material / "heldout.txt", directory)

    def damage(self, rng: random.Random, directory: Path) -> None:
        folder = directory / "exported"
        damage: Callable[[], None] = rng.choice(
            (
                lambda: damage_file(rng, folder / VOCABULARY, (damage_text,)),
                lambda: damage_file(rng, folder / SOFTMAX),
                lambda: damage_hdf5(rng, folder / SOFTMAX),
                lambda: (folder / rng.choice((OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY))).unlink(),
            )
        )
        damage()

    def run(self, rng: random.Random, directory: Path) -> None:
        folder = directory / "exported"
        if rng.random() < 0.5:
            check_printed(elmo("perplexity", "heldout.txt", "--bilm", folder), "perplexity")
        else:
            model, words = load_language_model(str(folder))
            check_finite(model.state_dict().values(), "weights")
            check_equal(len(words), len(model.softmax.bias), VOCABULARY)


class _Stored(Kind):
    """Activations that `elmo embed` wrote, read for the same sentences."""

    errors = (ValueError, OSError)
    file: ClassVar[str] = "layers.hdf5"

    def __init__(self, material: Path) -> None:
        super().__init__(material)
        lines = (material / "heldout.txt").read_text().splitlines()
        self._ids = batch_to_ids([line.split() for line in lines])
        self._expected = self._layers(material)

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / self.file, directory)

    def run(self, rng: random.Random, directory: Path) -> None:
        layers = self._layers(directory)
        check_finite([layers], "vectors")
        check_same({"layers": layers}, {"layers": self._expected}, self.file)

    def _layers(self, directory: Path) -> torch.Tensor:
        return StoredActivations(directory / self.file)(self._ids).layers


class StoredBytes(_Stored):
    name = "stored activations: bytes"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file)


class StoredStructure(_Stored):
    name = "stored activations: structure"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_hdf5(rng, directory / self.file)
