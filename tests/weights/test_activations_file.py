"""Stored activations equal the biLM's."""

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

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights.stored_activations import StoredActivations
from tests.helpers.random_bilm import SENTENCES, random_bilm
from tests.helpers.stored_sentences import written


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4, 5], [3], [5, 5, 1], []], ids=str)
def test_stored_layers_equal_the_bilm(file: Path, rows: list[int]) -> None:
    ids = batch_to_ids([SENTENCES[row] for row in rows])
    found, expected = StoredActivations(file)(ids), random_bilm()(ids)
    assert torch.equal(found.mask, expected.mask)
    assert_close(found.layers, expected.layers.detach(), atol=1e-6, rtol=0)


def test_rows_without_tokens(file: Path) -> None:
    ids = batch_to_ids([[], SENTENCES[0], []])
    assert_close(StoredActivations(file)(ids).layers, random_bilm()(ids).layers, atol=1e-6, rtol=0)


def test_half_precision(tmp_path: Path, file: Path) -> None:
    half = written(tmp_path / "half.hdf5", SENTENCES, "float16")
    ids = batch_to_ids(SENTENCES)
    expected = StoredActivations(file)(ids).layers.half().float()
    assert_close(StoredActivations(half)(ids).layers, expected, atol=0, rtol=0)
    with h5py.File(half) as smaller, h5py.File(file) as larger:
        assert smaller["layers"].nbytes * 2 == larger["layers"].nbytes


def test_duplicates_and_blank_lines(tmp_path: Path) -> None:
    text = [*SENTENCES, SENTENCES[0], []]
    file = written(tmp_path / "layers.hdf5", text)
    with h5py.File(file) as stored:
        tokens = [json.loads(line) for line in stored["tokens"][:].tobytes().splitlines()]
        assert len(stored["layers"]) == sum(map(len, text))
    assert tokens == text
    ids = batch_to_ids(SENTENCES)
    assert_close(StoredActivations(file)(ids).layers, random_bilm()(ids).layers, atol=1e-6, rtol=0)


def test_same_sentences_give_the_same_file(tmp_path: Path, file: Path) -> None:
    assert written(tmp_path / "again.hdf5", SENTENCES).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["copy", "pickle"]
)
def test_copies(file: Path, duplicate: Callable[[StoredActivations], StoredActivations]) -> None:
    stored, ids = StoredActivations(file), batch_to_ids(SENTENCES)
    assert torch.equal(duplicate(stored)(ids).layers, stored(ids).layers)
