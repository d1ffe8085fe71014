"""Damaged files raise errors that name them, or are read unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_plugin.layers import BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.options import read_options, write_options
from elmo_plugin.weights.stored_activations import StoredActivations
from tests.helpers.random_bilm import SMALL, random_bilm, save
from tests.helpers.stored_sentences import written

TINY = replace(SMALL, filters=((1, 2),), num_highways=1, num_layers=1, projection_dim=2, cell_dim=3)
SENTENCES = [["a", "b"], ["c"]]
IDS = batch_to_ids(SENTENCES)
PROPERTY = settings(deadline=None, max_examples=200, derandomize=True, database=None)

Damage = Callable[[bytes], bytes]
Values = dict[str, torch.Tensor]


@st.composite
def damage(draw: st.DrawFn) -> Damage:
    """Replacement of some bytes."""
    place = draw(st.floats(0, 1, exclude_max=True))
    length = draw(st.integers(0, 16) | st.just(10**9))
    new = draw(st.binary(max_size=16) | st.integers(0, 16).map(lambda n: b"\xff" * n))
    flip = draw(st.none() | st.integers(0, 7))

    def change(content: bytes) -> bytes:
        start = int(place * len(content))
        if flip is not None:
            return bytes(b ^ (1 << flip) if i == start else b for i, b in enumerate(content))
        return content[:start] + new + content[start + length :]

    return change


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    bilm = random_bilm(TINY)
    save(bilm, directory)
    written(directory / "layers.hdf5", SENTENCES, bilm=bilm)
    with (
        h5py.File(directory / "weights.hdf5") as ours,
        h5py.File(directory / "plain.hdf5", "w") as plain,
    ):

        def copy(name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset):
                plain.create_dataset(name, data=item[...])

        ours.visititems(copy)
    assert weights(directory / "plain.hdf5").keys() == bilm.state_dict().keys()
    return directory


def weights(file: Path) -> Values:
    return load_bilm(file.with_name("options.json"), file).state_dict()


def layers(file: Path) -> Values:
    return {"layers": StoredActivations(file)(IDS).layers}


def read_damaged(read: Callable[[Path], Values], file: Path, change: Damage) -> Values:
    """Read a damaged file; return no values if that raises."""
    damaged = file.with_name("damaged.hdf5")
    damaged.write_bytes(change(file.read_bytes()))
    try:
        return read(damaged)
    except ValueError as error:
        assert str(error).startswith(f"{damaged}: ") and len(str(error)) < 5000
        return {}


@pytest.mark.parametrize(("name", "read"), [("weights", weights), ("layers", layers)])
@PROPERTY
@given(change=damage())
def test_changed_bytes_raise_or_change_nothing(
    directory: Path, name: str, read: Callable[[Path], Values], change: Damage
) -> None:
    file = directory / f"{name}.hdf5"
    found, expected = read_damaged(read, file, change), read(file)
    assert all(torch.equal(values, expected[key]) for key, values in found.items())


@PROPERTY
@given(change=damage())
def test_damaged_files_without_checksums(directory: Path, change: Damage) -> None:
    found = read_damaged(weights, directory / "plain.hdf5", change)
    assert all(values.isfinite().all() for values in found.values())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@st.composite
def options(draw: st.DrawFn) -> Any:
    """Options of TINY with one value replaced by anything."""
    content: Any = {
        "char_cnn": {
            "n_characters": 262,
            "max_characters_per_token": 50,
            "embedding": {"dim": 4},
            "n_highway": 1,
            "filters": [[1, 2]],
            "activation": "relu",
        },
        "lstm": {"projection_dim": 2, "dim": 3, "n_layers": 1, "cell_clip": 0.3},
    }
    place = content
    while isinstance(place, (dict, list)):
        inner, keys = place, range(len(place)) if isinstance(place, list) else sorted(place)
        key = draw(st.sampled_from(keys))
        place = inner[key] if draw(st.booleans()) else None
    inner[key] = draw(JSON)
    return content


@PROPERTY
@given(content=options() | JSON)
def test_changed_options_raise_or_are_read_as_json_says(directory: Path, content: Any) -> None:
    file, again = directory / "other.json", directory / "again.json"
    file.write_text(json.dumps(content))
    try:
        config = read_options(file)
    except ValueError as error:
        assert str(error).startswith(f"{file}: ") and len(str(error)) < 500
        return
    assert isinstance(config, BilmConfig)
    write_options(config, again)
    assert read_options(again) == config


@PROPERTY
@given(change=damage())
def test_random_bytes_as_options(directory: Path, change: Damage) -> None:
    file = directory / "other.json"
    file.write_bytes(change((directory / "options.json").read_bytes()))
    try:
        read_options(file)
    except ValueError as error:
        assert str(error).startswith(f"{file}: ") and len(str(error)) < 500
