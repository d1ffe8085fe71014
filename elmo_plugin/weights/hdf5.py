"""Reading HDF5 files of arrays, which are checked before their content is used."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Union

import h5py
import numpy
import torch

PathLike = Union[str, Path]

_MAX_OBJECTS = 100_000
_MAX_PROBLEMS = 20
_MAX_NAME_BYTES = 200


def read_hdf5(
    path: PathLike, expected: Mapping[str, tuple[int, ...]], message: str
) -> dict[str, torch.Tensor]:
    """
    Read every dataset of an HDF5 file as a float32 tensor, by path.

    # Parameters

    path : `str` or `Path`
    expected : `Mapping[str, Tuple[int, ...]]`
        The shape of every dataset. Nothing is read unless all fit.
    message : `str`
        Beginning of the error where they do not fit, after the file's name.

    # Raises

    `ValueError` : not HDF5, truncated, or damaged; a dataset that is missing, unexpected, of
    another shape, not of finite floating-point numbers, or not entirely in this file.
    `FileNotFoundError` : no such file.
    """
    with open_hdf5(path) as datasets:
        check_fit(datasets, expected, message)
        return {name: read_numbers(name, dataset) for name, dataset in datasets.items()}


@contextmanager
def open_hdf5(path: PathLike) -> Iterator[dict[str, h5py.Dataset]]:
    """
    Open an HDF5 file and return its datasets by path. No dataset is a link, and each is stored
    completely in this file. Errors in the block name the file.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: expected an HDF5 file, found none")
    with hdf5_errors(path), h5py.File(path, "r") as file:
        yield whole_datasets(file)


@contextmanager
def hdf5_errors(path: PathLike) -> Iterator[None]:
    """Convert errors in the block, h5py's many kinds too, to a `ValueError` that names the file."""
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


def whole_dataset(file: h5py.File, name: str) -> h5py.Dataset:
    """Return one dataset of the root of an open file, checked as in `open_hdf5`."""
    root, link = file["/"].id, name.encode()
    if root.links.get_info(link).type != h5py.h5l.TYPE_HARD:
        raise ValueError(f"{name}: expected data in this file, found a link")
    item = h5py.h5o.open(root, link)
    if not isinstance(item, h5py.h5d.DatasetID):
        raise ValueError(f"{name}: expected a dataset, found a group")
    dataset = h5py.Dataset(item, readonly=True)
    _check_whole(name, dataset)
    return dataset


def check_fit(
    datasets: Mapping[str, Any], expected: Mapping[str, tuple[int, ...]], message: str
) -> None:
    """
    Check names and shapes.

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
        more = len(problems) - _MAX_PROBLEMS
        listed = [*problems[:_MAX_PROBLEMS], *([f"... and {more:,} more"] if more > 0 else [])]
        raise ValueError("\n  ".join([f"{message}:", *listed]))


def read_numbers(name: str, dataset: h5py.Dataset) -> torch.Tensor:
    """
    Read a dataset as a float32 tensor.

    # Raises

    `ValueError` : other than finite floating-point numbers.
    """
    if not holds_floats(dataset):
        raise ValueError(f"{name}: expected floating-point numbers, found {dataset.dtype}")
    tensor = torch.from_numpy(numpy.asarray(dataset.astype("float32")[...]))
    if not tensor.isfinite().all():
        raise ValueError(
            f"{name}: expected finite numbers, found NaN, infinity or numbers beyond float32"
        )
    return tensor


def holds_floats(dataset: h5py.Dataset) -> bool:
    """Return True if the type is IEEE's of 16, 32 or 64 bits, in either byte order."""
    kind = dataset.dtype
    if kind.kind != "f" or kind.itemsize > 8 or dataset.shape is None:
        return False
    # HDF5 describes every bit of a type; NumPy shows the nearest type that it has.
    return dataset.id.get_type().equal(h5py.h5t.py_create(kind))


def _objects(root: h5py.h5g.GroupID) -> Iterator[tuple[str, Any]]:
    """Yield all objects of a file by path. h5py's own walk trusts names and skips links."""
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
                raise ValueError(
                    f"{name}: expected another object than {names[item]}, found a link"
                )
            if len(names) == _MAX_OBJECTS:
                raise ValueError(f"expected at most {_MAX_OBJECTS:,} objects, found more")
            names[item] = name
            yield name, item
            if isinstance(item, h5py.h5g.GroupID):
                groups.append((item, f"{name}/"))


def _check_whole(name: str, dataset: h5py.Dataset) -> None:
    properties = dataset.id.get_create_plist()
    filters = {properties.get_filter(i)[0] for i in range(properties.get_nfilters())}
    filters.discard(h5py.h5z.FILTER_FLETCHER32)
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"{name}: expected data in this file, found a reference to other files")
    if filters:
        # Compressed data may have any size, and other filters load code.
        raise ValueError(f"{name}: expected unfiltered data, found filters {sorted(filters)}")
    missing = dataset.id.get_storage_size() < (dataset.size or 0) * dataset.id.get_type().get_size()
    if dataset.chunks is not None:
        chunks = math.prod(-(-size // part) for size, part in zip(dataset.shape, dataset.chunks))
        missing = missing or dataset.id.get_num_chunks() < chunks
    if missing:
        raise ValueError(f"{name}: expected all of its values, found some that were never written")


def _text(name: bytes) -> str:
    """Format the name of a dataset for an error message, on one line."""
    text = name[:_MAX_NAME_BYTES].decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
