"""Writing HDF5 files of arrays, with checksums."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import h5py
import numpy
import torch

from elmo_plugin.common.interrupts import DeferredInterrupts
from elmo_plugin.weights.hdf5 import PathLike

Value = TypeVar("Value")

CHECKSUMMED: dict[str, Any] = {"libver": ("v110", "v110")}
"""For `h5py.File`: the oldest format in which HDF5 keeps checksums of names, types and shapes."""

_CHUNK_BYTES = 2**20
_MAX_LOSS = 0.01
_STORABLE = (torch.float16, torch.float32, torch.float64)


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

    `ValueError` : another `dtype`; a number that is not finite, or that the type cannot hold, with
    file and tensor.
    """
    if dtype not in (None, *_STORABLE):
        raise ValueError(
            f"{path}: expected a dtype of {', '.join(map(str, _STORABLE))}, got {dtype}"
        )
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


@contextmanager
def new_hdf5_file(path: PathLike) -> Iterator[NewHdf5File]:
    """
    Return a new HDF5 file with checksums, which is closed when the block ends. Interrupts are
    raised then, and in `NewHdf5File.interruptible`.

    # Raises

    `OSError` : the first error of writing.
    """
    with DeferredInterrupts() as interrupts, NewHdf5File(path, interrupts) as file:
        yield file


class NewHdf5File(h5py.File):
    """
    The file of `new_hdf5_file`. HDF5 itself crashes after a write that fails, as on a full disk:
    here such writes seem to succeed, and the error is raised by `check` and by closing the file.
    """

    def __init__(self, path: PathLike, interrupts: DeferredInterrupts) -> None:
        self._disk = _Disk(path, "w+")
        self._interrupts = interrupts
        super().__init__(self._disk, "w", **CHECKSUMMED)

    def interruptible(self, values: Iterable[Value]) -> Iterator[Value]:
        """Yield values to write, which can be interrupted while they are computed."""
        for value in self._interrupts.interruptible(values):
            self.check()
            yield value

    def check(self) -> None:
        """Raise the error of a write that failed."""
        if self._disk.error is not None:
            raise self._disk.error

    def close(self) -> None:
        super().close()
        self._disk.close()
        self.check()


class _Disk(io.FileIO):
    """A file that records its first error of writing."""

    error: OSError | None = None

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        with self._recorded():
            written = 0
            while written < len(view):
                written += super().write(view[written:]) or 0
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        with self._recorded():
            super().truncate(size)
        return self.tell() if size is None else size

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = self.error or error


def write_hdf5(datasets: Mapping[str, torch.Tensor], path: PathLike) -> None:
    """The inverse of `read_hdf5`. Each chunk of a dataset has a checksum (fletcher32)."""
    with new_hdf5_file(path) as file:
        for name, tensor in datasets.items():
            write_checksummed(file, name, tensor.numpy())


def write_checksummed(file: h5py.File, name: str, values: numpy.ndarray) -> None:
    """Write a dataset with checksums, in chunks of about a megabyte."""
    chunks = max(1, math.ceil(values.nbytes / _CHUNK_BYTES))
    rows = max(1, math.ceil(len(values) / chunks))
    file.create_dataset(name, data=values, chunks=(rows, *values.shape[1:]), fletcher32=True)
