"""Reading and writing biLMs as bilm-tf's HDF5 weights and options.json."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast, get_args

import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights.hdf5 import PathLike, check_fit, open_hdf5, read_numbers
from elmo_plugin.weights.hdf5_writing import storable, write_hdf5
from elmo_plugin.weights.layout import (
    WARM_STATE,
    default_value,
    expected_shapes,
    from_hdf5,
    optional_paths,
    to_hdf5,
)
from elmo_plugin.weights.options import read_options, write_options

Precision = Literal["float32", "bfloat16"]


def load_bilm(
    options_file: PathLike,
    weight_file: PathLike,
    initial_state: InitialState = "zero",
    precision: Precision = "float32",
) -> Bilm:
    """
    Load a biLM from bilm-tf's files, such as the published ones. A projection that bilm-tf leaves
    out, as it would not change the size, becomes the identity.

    # Parameters

    options_file : `str` or `Path`
        options.json.
    weight_file : `str` or `Path`
        HDF5, of any floating-point type; the biLM is float32.
    initial_state : `str`, optional (default = `"zero"`)
        What each sentence starts from: "zero", "warm" or "carried"; see `Bilm`.
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for matrices of that type, see `Bilm.to_precision`; for inference only.

    # Returns

    `Bilm` : in evaluation mode, its parameters requiring gradients.

    # Raises

    `ValueError` : options or weights that cannot be read or do not fit each other; names the file
    and lists every missing, unexpected and misshapen key.
    `FileNotFoundError` : no such file.
    """
    dtype = precision_type(precision)
    config = read_options(options_file)
    return _load_weights(config, weight_file, str(options_file), initial_state).to_precision(dtype)


def precision_type(precision: str) -> torch.dtype:
    """Return the type of a biLM's matrices for inference; raise `ValueError` for another name."""
    if precision not in get_args(Precision):
        expected = " or ".join(get_args(Precision))
        raise ValueError(f"precision: expected {expected}, got {precision!r}")
    return cast(torch.dtype, getattr(torch, precision))


def _load_weights(
    config: BilmConfig, weight_file: PathLike, options_file: str, initial_state: InitialState
) -> Bilm:
    expected, warm = expected_shapes(config), WARM_STATE.values()
    with open_hdf5(weight_file) as found:
        groups = [group for group in optional_paths(config) if not found.keys() & set(group)]
        left_out = {path for group in groups for path in group}
        if initial_state == "warm" and left_out.issuperset(warm):
            raise ValueError(f"expected a warm initial state in {', '.join(warm)}, found none")
        # Checked before anything is read.
        needed = {path: shape for path, shape in expected.items() if path not in left_out}
        check_fit(found, needed, f"does not fit {options_file}")
        datasets = {path: read_numbers(path, dataset) for path, dataset in found.items()}
    datasets.update({path: default_value(path, config) for path in left_out})
    # Initial weights, which are replaced, must not change what a task model draws next.
    with torch.random.fork_rng(devices=[]):
        bilm = Bilm(config, initial_state).float()  # whatever PyTorch's default type
    bilm.load_state_dict(from_hdf5(datasets, config))
    return bilm.eval()


def save_bilm(
    bilm: Bilm,
    options_file: PathLike,
    weight_file: PathLike,
    dtype: torch.dtype | None = None,
) -> None:
    """
    Write a biLM, the inverse of `load_bilm`. AllenNLP, bilm-tf and simple_elmo read the files as
    well; the last two only if projection_dim is less than cell_dim and the number of filters, as
    they leave out a projection to the same size. The warm initial state is stored if there is one.
    Both files are written, or neither.

    # Parameters

    bilm : `Bilm`
    options_file, weight_file : `str` or `Path`
    dtype : `torch.dtype`, optional (default = `None`)
        Type of the stored numbers, see `storable`.

    # Raises

    `ValueError` : a weight that is not finite, or that `dtype` cannot hold; names the file and the
    dataset.
    """
    if Path(options_file).resolve() == Path(weight_file).resolve():
        raise ValueError(f"{weight_file}: expected two files, got one for options and weights")
    datasets = to_hdf5(bilm.state_dict(), bilm.config)
    if not any(datasets[path].any() for path in WARM_STATE.values()):
        datasets = {k: v for k, v in datasets.items() if k not in WARM_STATE.values()}
    datasets = storable(datasets, dtype, weight_file)
    with atomic_write(options_file) as options, atomic_write(weight_file) as weights:
        write_options(bilm.config, options)
        write_hdf5(datasets, weights)
