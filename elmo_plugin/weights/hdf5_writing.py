"""Writing HDF5 files of arrays, with checksums."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy
import torch

from elmo_plugin.weights.hdf5 import PathLike

CHECKSUMMED: dict[str, Any] = {"libver": ("v110", "v110")}
"""For `h5py.File`: the oldest format in which HDF5 keeps checksums of names, types and shapes."""

_CHUNK_BYTES = 2**20
_MAX_LOSS = 0.01


def storable(
    datasets: Mapping[str, torch.Tensor], dtype: torch.dtype | None, path: PathLike
) -> dict[str, torch.Tensor]:
    """
    Convert tensors to the type that a file stores them in.

    # Parameters

    datasets : `Mapping[str, torch.Tensor]`
    dtype : `torch.dtype` or `None`
        float16, float32 or float64. `None` for each tensor's own, with float32 for bfloat16, which
        older programs do not read.
    path : `str` or `Path`
        For messages.

    # Returns

    `Dict[str, torch.Tensor]` : on the CPU. float16 rounds to 11 bits, and values below 6e-5 to a
    multiple of 6e-8; a warning says where that loses more than 1% of a tensor's norm.

    # Raises

    `ValueError` : a number that is not finite, or that the type cannot hold; names file and tensor.
    """
    stored: dict[str, torch.Tensor] = {}
    for name, tensor in datasets.items():
        stored[name] = _convert(tensor.detach().cpu(), dtype, f"{path}: {name}")
    return stored


def _convert(tensor: torch.Tensor, dtype: torch.dtype | None, name: str) -> torch.Tensor:
    kind = dtype or (torch.float32 if tensor.dtype == torch.bfloat16 else tensor.dtype)
    stored = tensor.to(kind)
    given = tensor.to(torch.promote_types(tensor.dtype, torch.float32))
    # Compared as float32, to which readers convert every type.
    error = stored.float() - given
    if not error.isfinite().all():
        type_name = "float16" if kind == torch.float16 else "float32"
        raise ValueError(
            f"{name}: expected numbers that {type_name} can hold, found {given.abs().max():g}"
        )
    lost = float(error.norm() / given.norm()) if given.any() else 0.0
    if lost > _MAX_LOSS:
        warnings.warn(f"{name}: {lost:.0%} is lost in {kind}", stacklevel=3)
    return stored


def write_hdf5(datasets: Mapping[str, torch.Tensor], path: PathLike) -> None:
    """The inverse of `read_hdf5`. Each chunk of a dataset has a checksum (fletcher32)."""
    # In memory first: HDF5 itself does not recover from a full disk.
    content = io.BytesIO()
    with h5py.File(content, "w", **CHECKSUMMED) as file:
        for name, tensor in datasets.items():
            write_checksummed(file, name, tensor.numpy())
    Path(path).write_bytes(content.getbuffer())


def write_checksummed(file: h5py.File, name: str, values: numpy.ndarray) -> None:
    """Write a dataset with checksums, in chunks of about a megabyte."""
    chunks = max(1, math.ceil(values.nbytes / _CHUNK_BYTES))
    rows = max(1, math.ceil(len(values) / chunks))
    file.create_dataset(name, data=values, chunks=(rows, *values.shape[1:]), fletcher32=True)
