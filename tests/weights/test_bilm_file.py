"""Saving and loading biLMs."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path

import h5py
import numpy
import pytest
import torch
from allennlp.modules.elmo import _ElmoBiLm

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm, save_bilm
from tests.helpers.bilm_files import CELL, CONFIGS, assert_untouched
from tests.helpers.random_bilm import SENTENCES, SMALL, Files, random_bilm, save


def _assert_same(found: Bilm, expected: Bilm) -> None:
    assert found.config == expected.config
    weights = expected.state_dict()
    assert found.state_dict().keys() == weights.keys()
    for name, weight in found.state_dict().items():
        assert torch.equal(weight, weights[name]), name


def _warm(bilm: Bilm) -> Bilm:
    torch.nn.init.normal_(bilm.warm_hidden)
    torch.nn.init.normal_(bilm.warm_cell)
    return bilm


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_another_default_type_changes_nothing(dtype: torch.dtype, tmp_path: Path) -> None:
    bilm = random_bilm()
    files = save(bilm, tmp_path)
    torch.set_default_dtype(dtype)
    try:
        loaded = load_bilm(*files)
    finally:
        torch.set_default_dtype(torch.float32)
    _assert_same(loaded, bilm)
    assert {weight.dtype for weight in loaded.parameters()} == {torch.float32}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_round_trip_is_exact(config: BilmConfig, tmp_path: Path) -> None:
    bilm = random_bilm(config)
    files = save(bilm, tmp_path)
    loaded = load_bilm(*files)
    _assert_same(loaded, bilm)
    assert not loaded.training and all(p.requires_grad for p in loaded.parameters())
    with h5py.File(files.weights) as file:
        assert "initial_state" not in file


def test_round_trip_of_files_is_exact(files: Files, tmp_path: Path) -> None:
    again = Files(tmp_path / "again.json", tmp_path / "again.hdf5")
    save_bilm(load_bilm(*files), *again)
    assert again.options.read_text() == files.options.read_text()
    assert _datasets(again.weights).keys() == _datasets(files.weights).keys()
    for name, dataset in _datasets(again.weights).items():
        numpy.testing.assert_array_equal(dataset, _datasets(files.weights)[name], strict=True)


def test_warm_state_is_kept(tmp_path: Path) -> None:
    bilm = _warm(random_bilm())
    files = save(bilm, tmp_path)
    for initial_state in ("zero", "warm", "carried"):
        _assert_same(load_bilm(*files, initial_state=initial_state), bilm)
    # Other programs look for their own datasets only.
    theirs = _ElmoBiLm(str(files.options), str(files.weights))
    token_layer = theirs(batch_to_ids(SENTENCES))["activations"][0]
    assert token_layer.isfinite().all()


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_loading_other_precisions(files: Files, dtype: str) -> None:
    with h5py.File(files.weights, "r+") as file:
        for name, dataset in _datasets(files.weights).items():
            del file[name]
            file[name] = dataset.astype(dtype)
    bilm, rounded = random_bilm(), load_bilm(*files)
    for name, weight in rounded.state_dict().items():
        expected = bilm.state_dict()[name]
        assert weight.dtype == torch.float32
        assert torch.equal(weight, expected.half().float() if dtype == "float16" else expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_saving_other_precisions(dtype: torch.dtype, tmp_path: Path) -> None:
    files = save(random_bilm().to(dtype), tmp_path)
    _assert_same(load_bilm(*files), random_bilm().to(dtype).float())


@pytest.mark.parametrize("dtype", [torch.int8, torch.complex64, torch.bfloat16])
def test_types_that_cannot_be_stored_raise(
    dtype: torch.dtype, files: Files, old: dict[Path, bytes], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=f"{files.weights}: expected a dtype of torch.float16"):
        save_bilm(random_bilm(seed=1), *files, dtype)
    assert_untouched(old, tmp_path)


def test_weights_that_require_gradients_are_saved(tmp_path: Path) -> None:
    bilm = random_bilm()
    optimizer = torch.optim.Adam(bilm.parameters())
    bilm(batch_to_ids(SENTENCES)).layers.square().sum().backward()
    optimizer.step()
    _assert_same(load_bilm(*save(bilm, tmp_path)), bilm)


def test_strings_and_paths(files: Files) -> None:
    _assert_same(load_bilm(str(files.options), str(files.weights)), random_bilm())


def test_full_disk_leaves_old_files(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (0, 100, 5000, len(old[files.weights]) - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large"):
                save_bilm(random_bilm(seed=1), *files)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert_untouched(old, tmp_path)


def test_directory_at_the_path_raises(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    directory = tmp_path / "directory"
    directory.mkdir()
    for paths in ((directory, files.weights), (files.options, directory)):
        with pytest.raises(ValueError, match=f"^{directory}: expected a file or nothing, found a"):
            save_bilm(random_bilm(seed=1), *paths)
        assert_untouched(old, tmp_path)


@pytest.mark.parametrize(
    ("dtype", "value"), [(torch.float16, 1e5), (None, torch.nan), (torch.float64, torch.inf)]
)
def test_saving_weights_that_are_not_finite_raises(
    dtype: torch.dtype, value: float, files: Files, old: dict[Path, bytes], tmp_path: Path
) -> None:
    bilm = random_bilm(seed=1)
    with torch.no_grad():
        bilm.lstm.layers[1].bias[1, 3] = value
    with pytest.raises(ValueError, match=f"^{files.weights}: {CELL}/B: expected numbers that"):
        save_bilm(bilm, *files, dtype)
    assert_untouched(old, tmp_path)


def test_saving_to_a_missing_directory_raises(
    files: Files, old: dict[Path, bytes], tmp_path: Path
) -> None:
    for missing in (tmp_path / "none" / "file", files.options / "file"):
        for paths in ((missing, files.weights), (files.options, missing)):
            with pytest.raises(FileNotFoundError, match=f"^{missing}: expected the directory"):
                save_bilm(random_bilm(seed=1), *paths)
            assert_untouched(old, tmp_path)


def test_saving_to_one_file_raises(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected two files"):
        save_bilm(random_bilm(seed=1), files.weights, tmp_path / "." / files.weights.name)
    assert_untouched(old, tmp_path)


def test_saving_replaces_files(files: Files, tmp_path: Path) -> None:
    other = random_bilm(replace(SMALL, num_layers=1), seed=1)
    save_bilm(other, *files)
    _assert_same(load_bilm(*files), other)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["options.json", "weights.hdf5"]


def _datasets(path: Path) -> dict[str, numpy.ndarray]:
    found: dict[str, numpy.ndarray] = {}

    def keep(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[...]

    with h5py.File(path) as file:
        file.visititems(keep)
    return found
