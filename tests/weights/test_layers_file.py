"""Layers that were stored are the biLM's; sentences that were not are named."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import h5py
import pytest
import torch
from torch.testing import assert_close

from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.weights.layers_file import Sentence, write_layers
from elmo_plugin.weights.stored_layers import StoredLayers
from tests.random_bilm import SENTENCES, random_bilm


def as_read(sentences: list[list[str]]) -> list[Sentence]:
    return [Sentence(tokens, batch_to_ids([tokens])[0]) for tokens in sentences]


def written(path: Path, sentences: list[list[str]], dtype: str = "float32") -> Path:
    write_layers(random_bilm(), as_read(sentences), path, dtype)
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("layers") / "layers.hdf5", SENTENCES)


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4, 5], [3], [5, 5, 1], []], ids=str)
def test_as_the_bilm_gives_them(file: Path, rows: list[int]) -> None:
    ids = batch_to_ids([SENTENCES[row] for row in rows])
    found, expected = StoredLayers(file)(ids), random_bilm()(ids)
    assert torch.equal(found.mask, expected.mask)
    assert_close(found.layers, expected.layers.detach(), atol=1e-6, rtol=0)


def test_rows_without_tokens(file: Path) -> None:
    ids = batch_to_ids([[], SENTENCES[0], []])
    assert_close(StoredLayers(file)(ids).layers, random_bilm()(ids).layers, atol=1e-6, rtol=0)


def test_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elmo_plugin.weights.layers_file.TOKENS_AT_ONCE", 8)
    file = written(tmp_path / "layers.hdf5", SENTENCES * 2)
    ids = batch_to_ids(SENTENCES)
    assert_close(StoredLayers(file)(ids).layers, random_bilm()(ids).layers, atol=1e-6, rtol=0)


def test_half_precision(tmp_path: Path, file: Path) -> None:
    half = written(tmp_path / "half.hdf5", SENTENCES, "float16")
    ids = batch_to_ids(SENTENCES)
    expected = StoredLayers(file)(ids).layers.half().float()
    assert_close(StoredLayers(half)(ids).layers, expected, atol=0, rtol=0)
    with h5py.File(half) as smaller, h5py.File(file) as larger:
        assert smaller["layers"].nbytes * 2 == larger["layers"].nbytes


def test_distinct_sentences_with_their_tokens(tmp_path: Path) -> None:
    file = written(tmp_path / "layers.hdf5", [*SENTENCES, SENTENCES[0], []])
    with h5py.File(file) as stored:
        tokens = [json.loads(line) for line in stored["tokens"][:].tobytes().splitlines()]
        assert len(stored["layers"]) == sum(map(len, SENTENCES))
    assert sorted(tokens) == sorted(SENTENCES)


def test_the_same_sentences_make_the_same_file(tmp_path: Path, file: Path) -> None:
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
def test_a_sentence_that_is_not_there(file: Path, words: list[str], found: str) -> None:
    with pytest.raises(ValueError) as error:
        StoredLayers(file)(batch_to_ids([SENTENCES[0], words]))
    message = str(error.value)
    assert str(file) in message and json.dumps(words) in message
    assert found in message.split("found")[1]


def test_other_ids_are_refused(file: Path) -> None:
    with pytest.raises(ValueError, match=r"expected shape \(batch, tokens, 50\)"):
        StoredLayers(file)(torch.ones(1, 2, 40, dtype=torch.long))


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["copy", "pickle"]
)
def test_copies(file: Path, duplicate: Callable[[StoredLayers], StoredLayers]) -> None:
    stored, ids = StoredLayers(file), batch_to_ids(SENTENCES)
    assert torch.equal(duplicate(stored)(ids).layers, stored(ids).layers)


def test_what_stops_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(batches: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_layers(random_bilm(), as_read(SENTENCES), tmp_path / "a", progress=interrupted)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("bilm", "sentences", "complaint"),
    [
        (random_bilm(), [[]], "expected sentences, found none"),
        (Bilm(random_bilm().config, "carried"), SENTENCES, "initial_state"),
    ],
)
def test_nothing_to_store(
    tmp_path: Path, bilm: Bilm, sentences: list[list[str]], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        write_layers(bilm, as_read(sentences), tmp_path / "a")
    assert not list(tmp_path.iterdir())


def test_other_files(tmp_path: Path) -> None:
    file = tmp_path / "file.hdf5"
    with pytest.raises(FileNotFoundError, match="elmo embed"):
        StoredLayers(file)
    file.write_text("text")
    with pytest.raises(ValueError, match=f"{file}: expected a whole HDF5 file"):
        StoredLayers(file)
    with h5py.File(file, "w") as other:
        other["layers"] = [1.0]
    with pytest.raises(ValueError, match="none of its ends, keys, tokens"):
        StoredLayers(file)
