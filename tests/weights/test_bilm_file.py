from __future__ import annotations

import json
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy
import pytest
import torch
from allennlp.modules.elmo import _ElmoBiLm

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm, save_bilm
from elmo_plugin.weights.layout import expected_shapes, to_hdf5
from tests.helpers.random_bilm import SENTENCES, SMALL, Files, random_bilm, save

CONFIGS = {
    "clipped": SMALL,
    "free": replace(SMALL, cell_clip=None, projection_clip=None, residual=False),
    "tanh": replace(SMALL, activation="tanh", num_highways=0, num_layers=3, max_characters=20),
}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return save(random_bilm(), tmp_path)


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


def test_weights_that_require_gradients_are_saved(tmp_path: Path) -> None:
    bilm = random_bilm()
    optimizer = torch.optim.Adam(bilm.parameters())
    bilm(batch_to_ids(SENTENCES)).layers.square().sum().backward()
    optimizer.step()
    _assert_same(load_bilm(*save(bilm, tmp_path)), bilm)


def test_strings_and_paths(files: Files) -> None:
    _assert_same(load_bilm(str(files.options), str(files.weights)), random_bilm())


# What is wrong with a weight file, and what the error says of it.


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
CELL = "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell"
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


# Saving that fails leaves everything as it was.


@pytest.fixture
def old(files: Files) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files}


def _assert_untouched(old: dict[Path, bytes], directory: Path) -> None:
    assert {path: path.read_bytes() for path in directory.iterdir() if path.is_file()} == old


def test_full_disk_leaves_old_files(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (0, 100, 5000, len(old[files.weights]) - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large"):
                save_bilm(random_bilm(seed=1), *files)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        _assert_untouched(old, tmp_path)


def test_unwritten_values_raise(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    with torch.device("meta"):
        bilm = Bilm(SMALL)
    with pytest.raises(RuntimeError, match="meta"):
        save_bilm(bilm, *files)
    _assert_untouched(old, tmp_path)


def test_directory_at_the_path_raises(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    directory = tmp_path / "directory"
    directory.mkdir()
    for paths in ((directory, files.weights), (files.options, directory)):
        with pytest.raises(ValueError, match=f"^{directory}: expected a file or nothing, found a"):
            save_bilm(random_bilm(seed=1), *paths)
        _assert_untouched(old, tmp_path)


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
    _assert_untouched(old, tmp_path)


def test_saving_to_a_missing_directory_raises(
    files: Files, old: dict[Path, bytes], tmp_path: Path
) -> None:
    for missing in (tmp_path / "none" / "file", files.options / "file"):
        for paths in ((missing, files.weights), (files.options, missing)):
            with pytest.raises(FileNotFoundError, match=f"^{missing}: expected the directory"):
                save_bilm(random_bilm(seed=1), *paths)
            _assert_untouched(old, tmp_path)


def test_saving_to_one_file_raises(files: Files, old: dict[Path, bytes], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected two files"):
        save_bilm(random_bilm(seed=1), files.weights, tmp_path / "." / files.weights.name)
    _assert_untouched(old, tmp_path)


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
