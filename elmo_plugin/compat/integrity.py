"""Checks that files of a trained model are what was written: whole, weights, and finite."""

import gzip
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Union
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import torch
from allennlp.common.checks import ConfigurationError

PathLike = Union[str, "os.PathLike[str]"]

# What constructors and `load_state_dict` raise of arguments and weights that do not fit.
MISFITS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ConfigurationError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
# What `zipfile` and `torch.load` raise of other files.
_NO_WEIGHTS = (*MISFITS, BadZipFile, EOFError, struct.error)
ARCHIVE_DUE = "expected the whole model.tar.gz of a trained model"
_WEIGHTS_DUE = "expected whole weights, tensors by their names"
_CHUNK_BYTES = 1 << 20
_DIRECTORY = 0x10


def check_gzip(path: PathLike) -> None:
    """
    Reads a file to its end, where gzip has its checksum; tarfile stops where a tar ends.

    # Raises

    `ConfigurationError` : damaged, cut short, or with something behind it.
    """
    try:
        with gzip.open(path) as content:
            while content.read(_CHUNK_BYTES):
                pass
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConfigurationError(f"{path}: {ARCHIVE_DUE}, found: {error}") from error


def is_gzip(path: PathLike) -> bool:
    return os.path.isfile(path) and _begins_with(path, b"\x1f\x8b")


def _begins_with(path: PathLike, mark: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(len(mark)) == mark


@contextmanager
def weights_file(path: PathLike) -> Iterator[None]:
    """
    Checks a file of weights and names it in an error of the block that reads it. `torch.save` has
    written zip files since torch 1.6, whose checksums `torch.load` ignores.

    # Raises

    `ConfigurationError` : damaged, or no weights.
    `FileNotFoundError` : no file.
    """
    zipped = _begins_with(path, b"PK\x03\x04")
    try:
        if zipped:
            _check_zip(path)
        yield
    except UnpicklingError as error:
        # Which says how to have the file run code.
        raise ConfigurationError(f"{path}: {_WEIGHTS_DUE}, found other objects") from error
    except _NO_WEIGHTS as error:
        found = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"{path}: {_WEIGHTS_DUE}, found: {found}") from error


def _check_zip(path: PathLike) -> None:
    with ZipFile(path) as file:
        # Of an entry marked as a directory, torch reads nothing, and takes what was in memory.
        strange = (
            entry.filename
            for entry in file.infolist()
            if entry.compress_type != ZIP_STORED or entry.external_attr & _DIRECTORY
        )
        damaged = next(strange, None) or file.testzip()
    if damaged is not None:
        raise BadZipFile(f"damage in {damaged}")


def check_numbers(model: torch.nn.Module) -> None:
    """
    Checks a model's weights; in a buffer, which may be a mask, infinities are meant.

    # Raises

    `ConfigurationError` : names the parameters with NaN or infinite values and the buffers with
    NaN.
    """
    parameters, buffers = _dense(model.named_parameters()), _dense(model.named_buffers())
    wrong = [name for name, weight in parameters if not weight.isfinite().all()]
    wrong += [name for name, buffer in buffers if buffer.isnan().any()]
    if wrong:
        raise ConfigurationError(f"weights: expected finite numbers, found others in {wrong}")


def _dense(
    tensors: Iterable[tuple[str, torch.Tensor]],
) -> Iterator[tuple[str, torch.Tensor]]:
    return (
        (name, tensor)
        for name, tensor in tensors
        if tensor.is_floating_point() and tensor.layout == torch.strided
    )
