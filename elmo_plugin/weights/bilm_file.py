"""Reading and writing biLMs as bilm-tf's HDF5 weights and options.json, all or nothing."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Union

import h5py
import numpy
import torch

from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.bilm import InitialState
from elmo_plugin.weights.layout import WARM_STATE, expected_shapes, from_hdf5, to_hdf5
from elmo_plugin.weights.options import read_options, write_options
from elmo_plugin.weights.whole_file import whole_file

PathLike = Union[str, Path]


def load_bilm(
    options_file: PathLike, weight_file: PathLike, initial_state: InitialState = "zero"
) -> Bilm:
    """
    A biLM from bilm-tf's files, the published ones included.

    # Parameters

    options_file : `str` or `Path`
        options.json.
    weight_file : `str` or `Path`
        HDF5, of any floating-point type; the biLM is float32.
    initial_state : `str`, optional (default = `"zero"`)
        What each sentence starts from: "zero", "warm" or "carried"; see `Bilm`.

    # Returns

    `Bilm` : in evaluation mode, its parameters requiring gradients.

    # Raises

    `ValueError` : options or weights that cannot be read or do not fit each other; names the
    file and lists every missing, unexpected and wrongly shaped key.
    `FileNotFoundError` : as it says.
    """
    return load_weights(read_options(options_file), weight_file, str(options_file), initial_state)


def load_weights(
    config: BilmConfig, weight_file: PathLike, source: str, initial_state: InitialState = "zero"
) -> Bilm:
    """As `load_bilm`, of sizes that are already known; `source` names in errors where from."""
    datasets = read_hdf5(weight_file)
    expected = expected_shapes(config)
    warm = WARM_STATE.values()
    if not any(path in datasets for path in warm):
        if initial_state == "warm":
            raise ValueError(
                f"{weight_file}: expected a warm initial state in {', '.join(warm)}, found none"
            )
        datasets.update({path: torch.zeros(1).expand(expected[path]) for path in warm})
    check_fit(datasets, expected, f"{weight_file} does not fit {source}")
    # First weights that are not used must not change those that a task model draws next.
    with torch.random.fork_rng(devices=[]):
        bilm = Bilm(config, initial_state)
    bilm.load_state_dict(from_hdf5(datasets, config))
    return bilm.eval()


def save_bilm(
    bilm: Bilm,
    options_file: PathLike,
    weight_file: PathLike,
    dtype: torch.dtype | None = None,
) -> None:
    """
    The inverse of `load_bilm`: files that AllenNLP, bilm-tf and simple_elmo read as well (the last
    two where projection_dim is less than cell_dim and the number of filters: they leave out a
    projection to the same size). The warm initial state is stored where there is one. Neither file
    is touched unless both can be written whole. Numbers are stored as `dtype`, if given, which
    changes those that it cannot hold.
    """
    if Path(options_file).resolve() == Path(weight_file).resolve():
        raise ValueError(f"{weight_file}: expected two files, got one for options and weights")
    datasets = to_hdf5(bilm.state_dict(), bilm.config)
    if not any(datasets[path].any() for path in WARM_STATE.values()):
        datasets = {k: v for k, v in datasets.items() if k not in WARM_STATE.values()}
    if dtype is not None:
        datasets = {path: dataset.to(dtype) for path, dataset in datasets.items()}
    with whole_file(options_file) as options, whole_file(weight_file) as weights:
        write_options(bilm.config, options)
        write_hdf5(datasets, weights)


def read_hdf5(path: PathLike) -> dict[str, torch.Tensor]:
    """
    Every dataset of an HDF5 file by its path, as float32 tensors.

    # Raises

    `ValueError` : not HDF5, cut short, or a dataset that is not of finite numbers.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: expected an HDF5 file, found none")
    datasets: dict[str, torch.Tensor] = {}

    def read(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            try:
                datasets[name] = _read_dataset(item)
            except ValueError as error:
                raise ValueError(f"{path}: {name}: {error}") from error

    try:
        with h5py.File(path, "r") as file:
            file.visititems(read)
    except (OSError, RuntimeError) as error:
        raise ValueError(f"{path}: expected a whole HDF5 file, found: {error}") from error
    return datasets


def _read_dataset(dataset: h5py.Dataset) -> torch.Tensor:
    if dataset.shape is None or dataset.dtype.kind not in "fiu":
        raise ValueError(f"expected numbers, found {dataset.dtype} of shape {dataset.shape}")
    tensor = torch.from_numpy(numpy.asarray(dataset.astype("float32")[...]))
    if not tensor.isfinite().all():
        raise ValueError("expected finite numbers, found others")
    return tensor


def write_hdf5(datasets: Mapping[str, torch.Tensor], path: PathLike) -> None:
    """The inverse of `read_hdf5`; keeps the tensors' type where HDF5 has it."""
    # In memory first: HDF5 itself does not recover from a full disk.
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        for name, tensor in datasets.items():
            tensor = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
            file.create_dataset(name, data=tensor.detach().cpu().numpy())
    Path(path).write_bytes(content.getbuffer())


def check_fit(
    datasets: Mapping[str, torch.Tensor], expected: Mapping[str, tuple[int, ...]], message: str
) -> None:
    """Raises a `ValueError` that lists all datasets that are missing, unexpected or misshapen."""
    problems: list[str] = []
    for path in sorted(expected.keys() | datasets.keys()):
        if path not in datasets:
            problems.append(f"missing {path} of shape {expected[path]}")
        elif path not in expected:
            problems.append(f"unexpected {path} of shape {tuple(datasets[path].shape)}")
        elif tuple(datasets[path].shape) != expected[path]:
            found = tuple(datasets[path].shape)
            problems.append(f"{path}: expected shape {expected[path]}, found {found}")
    if problems:
        listed = "\n  ".join(problems)
        raise ValueError(f"{message}:\n  {listed}")
