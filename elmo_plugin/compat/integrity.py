"""Checks that files of a trained model are what was written: whole, weights, and finite."""

import gzip
import os
import struct
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pickle import UnpicklingError
from typing import Union
from zipfile import BadZipFile

import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.weights.torch_file import check_entries

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
# What `tarfile` raises of members that it cannot extract, beside what the system says.
_NO_ARCHIVE = (tarfile.TarError, LookupError, MemoryError, RecursionError, ValueError)
ARCHIVE_DUE = "expected the whole model.tar.gz of a trained model"
_WEIGHTS_DUE = "expected whole weights, tensors by their names"
_CHUNK_BYTES = 1 << 20


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
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


@contextmanager
def extraction(path: PathLike) -> Iterator[None]:
    """
    Checks an archive and names it in an error of the block that extracts it.

    # Raises

    `ConfigurationError` : damaged, or with members that cannot be extracted, such as a link to
    nothing.
    `FileNotFoundError` : no file.
    """
    check_gzip(path)
    try:
        yield
    except _NO_ARCHIVE as error:
        raise ConfigurationError(f"{path}: {ARCHIVE_DUE}, found: {error}") from error
    except OSError as error:
        # Not the name, which is of a temporary file.
        raise ConfigurationError(
            f"{path}: cannot be extracted: {error.strerror or error}"
        ) from error


@contextmanager
def weights_file(path: PathLike) -> Iterator[None]:
    """
    Checks a file of weights and names it in an error of the block that reads it. `torch.save` has
    written zip files since torch 1.6, whose checksums `torch.load` ignores.

    # Raises

    `ConfigurationError` : damaged, or no weights.
    `FileNotFoundError` : no file.
    """
    try:
        check_entries(path)
        yield
    except FileNotFoundError:
        raise
    except UnpicklingError as error:
        # Which says how to have the file run code.
        raise ConfigurationError(f"{path}: {_WEIGHTS_DUE}, found other objects") from error
    except _NO_WEIGHTS as error:
        found = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"{path}: {_WEIGHTS_DUE}, found: {found}") from error


def check_numbers(model: torch.nn.Module) -> None:
    """
    Checks a model's weights; in a buffer, which may be a mask, infinities are meant, but not in a
    biLM's, which are states of its LSTMs.

    # Raises

    `ConfigurationError` : names the parameters with NaN or infinite values and the buffers with
    NaN.
    """
    parameters, buffers = _dense(model.named_parameters()), _dense(model.named_buffers())
    states = (
        (f"{name}.{key}".lstrip("."), buffer)
        for name, module in model.named_modules()
        if isinstance(module, Bilm)
        for key, buffer in _dense(module.named_buffers(recurse=False))
    )
    finite = chain(parameters, states)
    wrong = [name for name, weight in finite if not weight.isfinite().all()]
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
