"""Stored activations equal the biLM's."""

from __future__ import annotations

import copy
import json
import pickle
import re
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy
import pytest
import torch
from torch.testing import assert_close

from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.weights.activations_file import Sentence, write_activations
from elmo_plugin.weights.stored_activations import StoredActivations
from tests.helpers.random_bilm import SENTENCES, random_bilm

Change = Callable[[h5py.File], object]


def as_read(sentences: list[list[str]]) -> list[Sentence]:
    return [Sentence(tokens, batch_to_ids([tokens])[0]) for tokens in sentences]


def written(path: Path, sentences: list[list[str]], dtype: str = "float32") -> Path:
    write_activations(random_bilm(), as_read(sentences), path, dtype)
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("layers") / "layers.hdf5", SENTENCES)


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4, 5], [3], [5, 5, 1], []], ids=str)
def test_stored_layers_equal_the_bilm(file: Path, rows: list[int]) -> None:
    ids = batch_to_ids([SENTENCES[row] for row in rows])
    found, expected = StoredActivations(file)(ids), random_bilm()(ids)
    assert torch.equal(found.mask, expected.mask)
    assert_close(found.layers, expected.layers.detach(), atol=1e-6, rtol=0)


def test_rows_without_tokens(file: Path) -> None:
    ids = batch_to_ids([[], SENTENCES[0], []])
    assert_close(StoredActivations(file)(ids).layers, random_bilm()(ids).layers, atol=1e-6, rtol=0)


def test_several_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elmo_plugin.weights.activations_file._BATCH_TOKENS", 8)
    file = written(tmp_path / "layers.hdf5", SENTENCES * 2)
    ids = batch_to_ids(SENTENCES)
    assert_close(StoredActivations(file)(ids).layers, random_bilm()(ids).layers, atol=1e-6, rtol=0)


def test_half_precision(tmp_path: Path, file: Path) -> None:
    half = written(tmp_path / "half.hdf5", SENTENCES, "float16")
    ids = batch_to_ids(SENTENCES)
    expected = StoredActivations(file)(ids).layers.half().float()
    assert_close(StoredActivations(half)(ids).layers, expected, atol=0, rtol=0)
    with h5py.File(half) as smaller, h5py.File(file) as larger:
        assert smaller["layers"].nbytes * 2 == larger["layers"].nbytes


def test_distinct_sentences_with_their_tokens(tmp_path: Path) -> None:
    file = written(tmp_path / "layers.hdf5", [*SENTENCES, SENTENCES[0], []])
    with h5py.File(file) as stored:
        tokens = [json.loads(line) for line in stored["tokens"][:].tobytes().splitlines()]
        assert len(stored["layers"]) == sum(map(len, SENTENCES))
    assert sorted(tokens) == sorted(SENTENCES)


def test_same_sentences_give_the_same_file(tmp_path: Path, file: Path) -> None:
    assert written(tmp_path / "again.hdf5", SENTENCES).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["The", "cat"], "none such among 6 sentences"),
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


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["copy", "pickle"]
)
def test_copies(file: Path, duplicate: Callable[[StoredActivations], StoredActivations]) -> None:
    stored, ids = StoredActivations(file), batch_to_ids(SENTENCES)
    assert torch.equal(duplicate(stored)(ids).layers, stored(ids).layers)


def test_interrupted_writing_leaves_no_file(tmp_path: Path) -> None:
    def interrupted(batches: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_activations(random_bilm(), as_read(SENTENCES), tmp_path / "a", progress=interrupted)
    assert not list(tmp_path.iterdir())


def test_layers_that_are_not_finite_raise(tmp_path: Path) -> None:
    bilm = random_bilm()
    with torch.no_grad():
        bilm.token_encoder.projection.bias[0] = 1e6
    as_half = re.escape('float16 can hold, found others in the sentence ["one"]')
    with pytest.raises(ValueError, match=as_half):
        write_activations(bilm, as_read(SENTENCES), tmp_path / "a", "float16")
    write_activations(bilm, as_read(SENTENCES), tmp_path / "b")
    with torch.no_grad():
        bilm.token_encoder.projection.bias[0] = torch.nan
    with pytest.raises(ValueError, match="float32 can hold, found others in the sentence"):
        write_activations(bilm, as_read(SENTENCES), tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert StoredActivations(tmp_path / "b")(batch_to_ids(SENTENCES)).layers.isfinite().all()


@pytest.mark.parametrize(
    ("bilm", "sentences", "complaint"),
    [
        (random_bilm(), [[]], "expected sentences, found none"),
        (Bilm(random_bilm().config, "carried"), SENTENCES, "initial_state"),
    ],
)
def test_no_sentences_raise(
    tmp_path: Path, bilm: Bilm, sentences: list[list[str]], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        write_activations(bilm, as_read(sentences), tmp_path / "a")
    assert not list(tmp_path.iterdir())


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
    "fewer": (_put("layers", LAYERS[:5]), "ends: expected growing numbers up to 5"),
    "never written": (_never_written, "layers: expected all of its values, found some that"),
    "falling ends": (_put("ends", [5, 1, 2, 3, 4, 30]), "ends: expected growing numbers up to"),
    "negative ends": (_put("ends", [-5, 1, 2, 3, 4, 30]), "ends: expected growing numbers up to"),
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
    bad, row, sentence = Path(shutil.copy(file, tmp_path)), 1, SENTENCES[2]
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
