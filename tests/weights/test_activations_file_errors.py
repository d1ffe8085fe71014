"""Activations that cannot be stored or read."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy
import pytest
import torch

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights.stored_activations import StoredActivations
from tests.helpers.random_bilm import SENTENCES, random_bilm
from tests.helpers.stored_sentences import written

Change = Callable[[h5py.File], object]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["The", "cat"], "no such sentence among 6"),
        (["Thecat", "sat", "on", "the", "mat."], '"mat", "."'),
        (["the", "cat", "sat", "on", "the", "mat", "."], '"The", "cat"'),
    ],
    ids=["unknown", "tokens", "case"],
)
def test_missing_sentence_raises(file: Path, words: list[str], found: str) -> None:
    with pytest.raises(ValueError) as error:
        StoredActivations(file)(batch_to_ids([SENTENCES[0], words]))
    message = str(error.value)
    assert str(file) in message and json.dumps(words) in message
    assert found in message.split("found")[1]


def test_invalid_ids_raise(file: Path) -> None:
    with pytest.raises(ValueError, match=r"expected shape \(batch, tokens, 50\)"):
        StoredActivations(file)(torch.ones(1, 2, 40, dtype=torch.long))


def test_layers_that_are_not_finite_raise(tmp_path: Path) -> None:
    bilm = random_bilm()
    with torch.no_grad():
        bilm.token_encoder.projection.bias[0] = 1e6
    as_half = re.escape("input 1, sentence 1: expected vectors that float16 can hold")
    with pytest.raises(ValueError, match=as_half):
        written(tmp_path / "a", SENTENCES, "float16", bilm)
    written(tmp_path / "b", SENTENCES, bilm=bilm)
    assert not (tmp_path / "a").exists()
    assert StoredActivations(tmp_path / "b")(batch_to_ids(SENTENCES)).layers.isfinite().all()


def test_other_files_raise(tmp_path: Path) -> None:
    file = tmp_path / "file.hdf5"
    with pytest.raises(FileNotFoundError, match="elmo embed"):
        StoredActivations(file)
    file.write_text("text")
    with pytest.raises(ValueError, match=f"{file}: expected a whole HDF5 file"):
        StoredActivations(file)
    with h5py.File(file, "w") as other:
        other["layers"] = [1.0]
    with pytest.raises(ValueError, match=f"^{file}: .* none of its ends, keys, tokens"):
        StoredActivations(file)


def _put(name: str, value: object) -> Change:
    def change(stored: h5py.File) -> None:
        del stored[name]
        stored[name] = value

    return change


def _group(stored: h5py.File) -> None:
    del stored["keys"]
    stored.create_group("keys")


def _never_written(stored: h5py.File) -> None:
    shape = stored["layers"].shape
    del stored["layers"]
    stored.create_dataset("layers", shape, "f4")


LAYERS = numpy.ones((30, 3, 16), "f4")


BAD: dict[str, tuple[Change, str]] = {
    "two dimensions": (_put("layers", LAYERS[0]), "layers: expected float32 or float16 in 3"),
    "four dimensions": (_put("layers", LAYERS[None]), "layers: expected float32 or float16 in 3"),
    "doubles": (_put("layers", LAYERS.astype("f8")), "found float64 of shape (30, 3, 16)"),
    "nothing": (_put("layers", LAYERS[:0]), "found float32 of shape (0, 3, 16)"),
    "fewer": (_put("layers", LAYERS[:5]), "ends: expected ascending numbers up to 5"),
    "never written": (_never_written, "layers: expected all of its values, found some that"),
    "falling ends": (_put("ends", [5, 1, 2, 3, 4, 30]), "ends: expected ascending numbers up to"),
    "negative ends": (_put("ends", [-5, 1, 2, 3, 4, 30]), "ends: expected ascending numbers up to"),
    "fractions": (_put("ends", [0.5, 1.5]), "ends: expected int64 in 1 dimensions, found float64"),
    "fewer ends": (_put("ends", [1, 2]), "expected keys, ends and checksums of one length"),
    "a group": (_group, "none of its keys"),
    "a string": (_put("tokens", "text"), "tokens: expected uint8 in 1 dimensions"),
    "a number": (_put("max_characters", 50), "max_characters: expected int64 in 1 dimensions"),
    "empty": (_put("keys", h5py.Empty("u1")), "keys: expected uint8 in 2 dimensions"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_invalid_datasets_raise(change: Change, message: str, file: Path, tmp_path: Path) -> None:
    bad = Path(shutil.copy(file, tmp_path))
    with h5py.File(bad, "r+") as stored:
        change(stored)
    with pytest.raises(ValueError) as error:
        StoredActivations(bad)
    assert str(error.value).startswith(f"{bad}: ") and message in str(error.value)


@pytest.mark.parametrize("value", [1.0, numpy.nan, numpy.inf])
@pytest.mark.parametrize("checksum", ["old", "new"])
def test_changed_layers_raise_on_reading(
    value: float, checksum: str, file: Path, tmp_path: Path
) -> None:
    """The error contains the sentence; others can be read. NaN raises with a valid checksum too."""
    bad, row, sentence = Path(shutil.copy(file, tmp_path)), 2, SENTENCES[2]
    with h5py.File(bad, "r+") as stored:
        start, end = stored["ends"][row - 1 : row + 1]
        stored["layers"][end - 1, 2, 7] = value
        if checksum == "new":
            stored["checksums"][row] = zlib.crc32(stored["layers"][start:end].tobytes())
    layers = StoredActivations(bad)
    others = batch_to_ids([s for s in SENTENCES if s != sentence])
    assert torch.equal(layers(others).layers, StoredActivations(file)(others).layers)
    if checksum == "new" and value == 1.0:
        return
    with pytest.raises(
        ValueError, match=f"^{bad}: .* of the sentence .*{sentence[0]}.*, found dam"
    ):
        layers(batch_to_ids([SENTENCES[0], sentence]))
