"""Weight files that cannot be loaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy
import pytest
import torch

from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.weights import load_bilm, save_bilm
from elmo_plugin.weights.layout import expected_shapes, to_hdf5
from tests.helpers.bilm_files import (
    CELL,
    CONFIGS,
    SAME_SIZES,
    assert_untouched,
    remove_projections,
)
from tests.helpers.random_bilm import SMALL, Files, random_bilm, save


def _delete(name: str) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]

    return change


def _put(name: str, value: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        if name in file:
            del file[name]
        file[name] = value

    return change


def _group(file: h5py.File) -> None:
    del file["char_embed"]
    file.create_group("char_embed")


NAN = numpy.full((261, 4), numpy.nan, dtype="float32")


BAD_WEIGHTS: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "missing": (_delete(f"{CELL}/B"), f"missing {CELL}/B of shape (64,)"),
    "missing group": (_delete("CNN_high_1"), "missing CNN_high_1/W_carry of shape (28, 28)"),
    "unexpected": (_put("CNN/W_cnn_3", numpy.zeros(2)), "unexpected CNN/W_cnn_3 of shape (2,)"),
    "wrong shape": (
        _put("CNN_proj/b_proj", numpy.zeros(9)),
        "CNN_proj/b_proj: expected shape (8,), found (9,)",
    ),
    "262 characters": (
        _put("char_embed", numpy.zeros((262, 4))),
        "char_embed: expected shape (261, 4), found (262, 4)",
    ),
    "group for dataset": (_group, "missing char_embed of shape (261, 4)"),
    "scalar": (
        _put("CNN_proj/b_proj", numpy.float32(1)),
        "CNN_proj/b_proj: expected shape (8,), found ()",
    ),
    "not a number": (_put("char_embed", NAN), "char_embed: expected finite numbers"),
    "too large": (_put("char_embed", numpy.full((261, 4), 1e300)), "char_embed: expected finite"),
    "text": (_put("char_embed", "text"), "char_embed: expected shape (261, 4), found ()"),
    "integers": (
        _put("char_embed", numpy.zeros((261, 4), int)),
        "char_embed: expected floating-point numbers, found int64",
    ),
    "complex": (
        _put("char_embed", NAN * 1j),
        "char_embed: expected floating-point numbers, found complex",
    ),
    "empty": (
        _put("char_embed", h5py.Empty("f")),
        "char_embed: expected shape (261, 4), found ()",
    ),
    "half a warm state": (
        _put("initial_state/cell", numpy.zeros((2, 2, 16))),
        "missing initial_state/hidden of shape (2, 2, 8)",
    ),
}


@pytest.mark.parametrize(("change", "message"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_invalid_weights_raise(
    change: Callable[[h5py.File], None], message: str, files: Files
) -> None:
    with h5py.File(files.weights, "r+") as file:
        change(file)
    with pytest.raises(ValueError) as error:
        load_bilm(*files)
    assert str(files.weights) in str(error.value)
    assert message in str(error.value)


def test_every_misfit_is_listed(files: Files) -> None:
    with h5py.File(files.weights, "r+") as file:
        for change in (_delete("CNN"), _put("x/y", [1.0]), _put("CNN_proj/b_proj", [1.0])):
            change(file)
    with pytest.raises(ValueError) as error:
        load_bilm(*files)
    first, *lines = str(error.value).splitlines()
    assert first == f"{files.weights}: does not fit {files.options}:"
    assert [line.split()[:2] for line in lines] == [
        *(["missing", f"CNN/W_cnn_{i}"] for i in range(3)),
        *(["missing", f"CNN/b_cnn_{i}"] for i in range(3)),
        ["CNN_proj/b_proj:", "expected"],
        ["unexpected", "x/y"],
    ]


@pytest.mark.parametrize("config", [*CONFIGS.values(), BilmConfig()], ids=[*CONFIGS, "published"])
def test_expected_shapes_equal_a_bilm(config: BilmConfig) -> None:
    with torch.device("meta"):
        datasets = to_hdf5(Bilm(config).state_dict(), config)
    assert expected_shapes(config) == {name: tuple(v.shape) for name, v in datasets.items()}


def test_sizes_beyond_memory_raise(files: Files) -> None:
    """No tensor of that size is allocated."""
    options = json.loads(files.options.read_text())
    most = 2**20
    options["lstm"].update(dim=most, projection_dim=most, n_layers=1000)
    options["char_cnn"].update(n_highway=1000, embedding={"dim": most})
    files.options.write_text(json.dumps(options))
    with pytest.raises(ValueError, match=r"shape \(1, 1, 1048576, 4\), found \(1, 1, 4, 4\)"):
        load_bilm(*files)


def test_options_of_another_size_raise(files: Files) -> None:
    # One that would not fit into memory is still told apart by its shapes.
    options = json.loads(files.options.read_text())
    options["lstm"]["dim"] = 10**6
    files.options.write_text(json.dumps(options))
    with pytest.raises(ValueError, match=r"expected shape \(16, 4000000\), found \(16, 64\)"):
        load_bilm(*files)


def test_missing_warm_state_raises(files: Files) -> None:
    with pytest.raises(ValueError, match="expected a warm initial state in initial_state/hidden"):
        load_bilm(*files, initial_state="warm")


def test_projections_that_change_the_size_are_needed(files: Files) -> None:
    remove_projections(files)
    with pytest.raises(ValueError, match=r"missing CNN_proj/W_proj of shape \(28, 8\)"):
        load_bilm(*files)


@pytest.mark.parametrize("left", ["CNN_proj/W_proj", "CNN_proj/b_proj", f"{CELL}/W_P_0"])
def test_part_of_the_projections_raises(left: str, tmp_path: Path) -> None:
    files = save(random_bilm(SAME_SIZES), tmp_path)
    with h5py.File(files.weights) as file:
        kept = file[left][...]
    remove_projections(files)
    with h5py.File(files.weights, "r+") as file:
        file[left] = kept
    with pytest.raises(ValueError, match="missing "):
        load_bilm(*files)


def test_missing_projections_that_would_clip_raise(tmp_path: Path) -> None:
    config = replace(SAME_SIZES, projection_clip=0.5)
    files = save(random_bilm(config), tmp_path)
    remove_projections(files)
    with pytest.raises(ValueError, match=f"missing {CELL}/W_P_0"):
        load_bilm(*files)


def test_truncated_files_raise(files: Files) -> None:
    whole = files.weights.read_bytes()
    for kept in [0, 1, 100, *range(1000, len(whole), 4999), len(whole) - 1]:
        files.weights.write_bytes(whole[:kept])
        with pytest.raises(ValueError) as error:
            load_bilm(*files)
        assert str(files.weights) in str(error.value)


def test_other_than_hdf5_raises(files: Files) -> None:
    with pytest.raises(ValueError, match=rf"^{files.options}: expected a whole HDF5 file"):
        load_bilm(files.options, files.options)


def test_missing_file_or_directory_raises(files: Files, tmp_path: Path) -> None:
    for other in (tmp_path / "none", tmp_path):
        with pytest.raises(FileNotFoundError, match=rf"^{other}: expected an HDF5 file"):
            load_bilm(files.options, other)
        with pytest.raises(FileNotFoundError, match=rf"^{other}: expected an options file"):
            load_bilm(other, files.weights)


def test_unwritten_values_raise(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    with torch.device("meta"):
        bilm = Bilm(SMALL)
    with pytest.raises(RuntimeError, match="meta"):
        save_bilm(bilm, *files)
    assert_untouched(old, tmp_path)
