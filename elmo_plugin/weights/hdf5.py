"""HDF5 files of arrays, checked before they are believed and written with checksums."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Union

import h5py
import numpy
import torch

PathLike = Union[str, Path]

CHECKSUMMED: dict[str, Any] = {"libver": ("v110", "v110")}
"""For `h5py.File`: the oldest format in which HDF5 keeps checksums of names, types and shapes."""

_CHUNK_BYTES = 2**20
_MOST_OBJECTS = 100_000
_MOST_PROBLEMS = 20
_LONGEST_NAME = 200
_MOST_LOST = 0.01


def read_hdf5(
    path: PathLike, expected: Mapping[str, tuple[int, ...]], message: str
) -> dict[str, torch.Tensor]:
    """
    Every dataset of an HDF5 file by its path, as float32 tensors.

    # Parameters

    path : `str` or `Path`
    expected : `Mapping[str, Tuple[int, ...]]`
        The shape of every dataset. Nothing is read unless all fit.
    message : `str`
        How the error begins where they do not, after the file's name.

    # Raises

    `ValueError` : not HDF5, cut short, or damaged; a dataset that is missing, unexpected, of
    another shape, not of finite floating-point numbers, or not whole in this very file.
    `FileNotFoundError` : as it says.
    """
    with open_hdf5(path) as datasets:
        check_fit(datasets, expected, message)
        return {name: read_numbers(name, dataset) for name, dataset in datasets.items()}


@contextmanager
def open_hdf5(path: PathLike) -> Iterator[dict[str, h5py.Dataset]]:
    """
    The datasets of an HDF5 file by their paths, while the block lasts. None is a link, and the
    values of each are in this file, all of them. Errors of the block name the file.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: expected an HDF5 file, found none")
    with hdf5_errors(path), h5py.File(path, "r") as file:
        yield whole_datasets(file)


@contextmanager
def hdf5_errors(path: PathLike) -> Iterator[None]:
    """Errors of the block, h5py's many kinds too, become `ValueError`s that name the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    except (OSError, RuntimeError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise ValueError(f"{path}: expected a whole HDF5 file, found: {error}") from error


def whole_datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Return the datasets of an open file, as `open_hdf5` does."""
    datasets = {
        name: h5py.Dataset(item, readonly=True)
        for name, item in _objects(file["/"].id)
        if isinstance(item, h5py.h5d.DatasetID)
    }
    for name, dataset in datasets.items():
        _check_whole(name, dataset)
    return datasets


def check_fit(
    datasets: Mapping[str, Any], expected: Mapping[str, tuple[int, ...]], message: str
) -> None:
    """
    # Raises

    `ValueError` : lists the datasets, or tensors, that are missing, unexpected or misshapen.
    """
    problems: list[str] = []
    for path in sorted(expected.keys() | datasets.keys()):
        # HDF5 has datasets without a shape.
        found = tuple(datasets[path].shape or ()) if path in datasets else None
        if found is None:
            problems.append(f"missing {path} of shape {expected[path]}")
        elif path not in expected:
            problems.append(f"unexpected {path} of shape {found}")
        elif found != expected[path]:
            problems.append(f"{path}: expected shape {expected[path]}, found {found}")
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        listed = [*problems[:_MOST_PROBLEMS], *([f"... and {more:,} more"] if more > 0 else [])]
        raise ValueError("\n  ".join([f"{message}:", *listed]))


def read_numbers(name: str, dataset: h5py.Dataset) -> torch.Tensor:
    """
    A dataset as a float32 tensor.

    # Raises

    `ValueError` : it is not of floating-point numbers, or not of finite ones.
    """
    if not holds_floats(dataset):
        raise ValueError(f"{name}: expected floating-point numbers, found {dataset.dtype}")
    tensor = torch.from_numpy(numpy.asarray(dataset.astype("float32")[...]))
    if not tensor.isfinite().all():
        raise ValueError(f"{name}: expected finite numbers, found others")
    return tensor


def holds_floats(dataset: h5py.Dataset) -> bool:
    """If its type is IEEE's of 16, 32 or 64 bits, in either order of bytes."""
    kind = dataset.dtype
    if kind.kind != "f" or kind.itemsize > 8 or dataset.shape is None:
        return False
    # HDF5 describes every bit of a type; NumPy shows the nearest that it has.
    return dataset.id.get_type().equal(h5py.h5t.py_create(kind))


def storable(
    datasets: Mapping[str, torch.Tensor], dtype: torch.dtype | None, path: PathLike
) -> dict[str, torch.Tensor]:
    """
    Tensors in the type that a file is to hold them in.

    # Parameters

    datasets : `Mapping[str, torch.Tensor]`
    dtype : `torch.dtype` or `None`
        float16, float32 or float64; each tensor's own if none, and float32 for bfloat16, which
        older programs do not read.
    path : `str` or `Path`
        For messages.

    # Returns

    `Dict[str, torch.Tensor]` : on the CPU. float16 rounds to 11 bits, and what is smaller than
    6e-5 to a multiple of 6e-8; a warning says where that takes more than 1 % of a tensor's norm.

    # Raises

    `ValueError` : a number that is not finite, or not in that type; names file and tensor.
    """
    stored: dict[str, torch.Tensor] = {}
    for name, tensor in datasets.items():
        kind = dtype or (torch.float32 if tensor.dtype == torch.bfloat16 else tensor.dtype)
        stored[name] = tensor.detach().cpu().to(kind)
        given = tensor.detach().cpu().to(torch.promote_types(tensor.dtype, torch.float32))
        # As float32 in any case, which it will be read as.
        error = stored[name].float() - given
        if not error.isfinite().all():
            range_ = "float16" if kind == torch.float16 else "float32"
            raise ValueError(
                f"{path}: {name}: expected numbers that {range_} can hold, "
                f"found {given.abs().max():g}"
            )
        lost = float(error.norm() / given.norm()) if given.any() else 0.0
        if lost > _MOST_LOST:
            warnings.warn(f"{path}: {name}: {lost:.0%} is lost in {kind}", stacklevel=2)
    return stored


def write_hdf5(datasets: Mapping[str, torch.Tensor], path: PathLike) -> None:
    """The inverse of `read_hdf5`. Each part of a dataset has a checksum (fletcher32)."""
    # In memory first: HDF5 itself does not recover from a full disk.
    content = io.BytesIO()
    with h5py.File(content, "w", **CHECKSUMMED) as file:
        for name, tensor in datasets.items():
            write_checksummed(file, name, tensor.numpy())
    Path(path).write_bytes(content.getbuffer())


def write_checksummed(file: h5py.File, name: str, values: numpy.ndarray) -> None:
    """A dataset with checksums, in chunks of about a megabyte, as little larger as may be."""
    chunks = max(1, math.ceil(values.nbytes / _CHUNK_BYTES))
    rows = max(1, math.ceil(len(values) / chunks))
    file.create_dataset(name, data=values, chunks=(rows, *values.shape[1:]), fletcher32=True)


def _objects(root: h5py.h5g.GroupID) -> Iterator[tuple[str, Any]]:
    """All that a file holds, by path. h5py's own walk trusts names and passes over links."""
    names = {root: "/"}
    groups = [(root, "")]
    while groups:
        group, prefix = groups.pop()
        for link in group:
            name = prefix + _text(link)
            if group.links.get_info(link).type != h5py.h5l.TYPE_HARD:
                raise ValueError(f"{name}: expected data in this file, found a link")
            item = h5py.h5o.open(group, link)
            if item in names:
                raise ValueError(f"{name}: expected data of its own, found that of {names[item]}")
            if len(names) == _MOST_OBJECTS:
                raise ValueError(f"expected at most {_MOST_OBJECTS:,} objects, found more")
            names[item] = name
            yield name, item
            if isinstance(item, h5py.h5g.GroupID):
                groups.append((item, f"{name}/"))


def _check_whole(name: str, dataset: h5py.Dataset) -> None:
    made_with = dataset.id.get_create_plist()
    filters = {made_with.get_filter(i)[0] for i in range(made_with.get_nfilters())}
    filters.discard(h5py.h5z.FILTER_FLETCHER32)
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"{name}: expected data in this file, found a reference to other files")
    if filters:
        # A few bytes may unpack to any number of them, and other filters load code.
        raise ValueError(f"{name}: expected data as it is, found filters {sorted(filters)}")
    missing = dataset.id.get_storage_size() < (dataset.size or 0) * dataset.id.get_type().get_size()
    if dataset.chunks is not None:
        chunks = math.prod(-(-size // part) for size, part in zip(dataset.shape, dataset.chunks))
        missing = missing or dataset.id.get_num_chunks() < chunks
    if missing:
        raise ValueError(f"{name}: expected all of its values, found some that were never written")


def _text(name: bytes) -> str:
    """Format an error for people, on one line."""
    text = name[:_LONGEST_NAME].decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
