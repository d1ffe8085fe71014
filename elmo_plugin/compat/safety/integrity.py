"""Checks that the files of a trained model are undamaged, and its weights finite numbers."""

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pickle import UnpicklingError
from typing import Union

import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.weights.torch_file import TORCH_FILE_ERRORS, check_entries

PathLike = Union[str, "os.PathLike[str]"]

# Raised by constructors and `load_state_dict` for arguments and weights that do not fit.
MISMATCH_ERRORS = (
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
_WEIGHTS_ERRORS = (*MISMATCH_ERRORS, *TORCH_FILE_ERRORS)
# Raised by `tarfile`, besides `OSError`, for members that it cannot extract.
_ARCHIVE_ERRORS = (tarfile.TarError, LookupError, MemoryError, RecursionError, ValueError)
_EXPECTED_ARCHIVE = "expected the whole model.tar.gz of a trained model"
_EXPECTED_WEIGHTS = "expected whole weights, tensors by their names"
_CHUNK_BYTES = 1 << 20


def check_gzip(path: PathLike) -> None:
    """
    Check a gzip file's checksum, which is at its end: `tarfile` stops where the tar ends.

    # Raises

    `ConfigurationError` : damaged, cut short, or followed by other data.
    """
    try:
        with gzip.open(path) as content:
            while content.read(_CHUNK_BYTES):
                pass
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConfigurationError(f"{path}: {_EXPECTED_ARCHIVE}, found: {error}") from error


@contextmanager
def extraction(path: PathLike) -> Iterator[None]:
    """
    Check an archive, and name it in errors of the block that extracts it.

    # Raises

    `ConfigurationError` : damaged, or with members that cannot be extracted, such as a broken link.
    `FileNotFoundError` : there is no file.
    """
    check_gzip(path)
    try:
        yield
    except _ARCHIVE_ERRORS as error:
        raise ConfigurationError(f"{path}: {_EXPECTED_ARCHIVE}, found: {error}") from error
    except OSError as error:
        # Without its file name, which is that of a temporary file.
        raise ConfigurationError(
            f"{path}: cannot be extracted: {error.strerror or error}"
        ) from error


@contextmanager
def weights_file(path: PathLike) -> Iterator[None]:
    """
    Check a file of weights, and name it in errors of the block that loads it. Since torch 1.6,
    `torch.save` writes zip files, whose checksums `torch.load` ignores.

    # Raises

    `ConfigurationError` : damaged, or not weights.
    `FileNotFoundError` : there is no file.
    """
    try:
        check_entries(path)
        yield
    except FileNotFoundError:
        raise
    except UnpicklingError as error:
        # Its message says how to let the file run code.
        raise ConfigurationError(f"{path}: {_EXPECTED_WEIGHTS}, found other objects") from error
    except _WEIGHTS_ERRORS as error:
        found = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"{path}: {_EXPECTED_WEIGHTS}, found: {found}") from error


def check_finite(model: torch.nn.Module) -> None:
    """
    Check a model's parameters for NaN and infinities, and its buffers for NaN. Buffers may be masks
    that hold infinities, except for a biLM's, which are states of its LSTMs.

    # Raises

    `ConfigurationError` : names the parameters and buffers.
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
        raise ConfigurationError(
            f"weights: expected finite numbers, found NaN or infinity in {wrong}"
        )


def _dense(
    tensors: Iterable[tuple[str, torch.Tensor]],
) -> Iterator[tuple[str, torch.Tensor]]:
    return (
        (name, tensor)
        for name, tensor in tensors
        if tensor.is_floating_point() and tensor.layout == torch.strided
    )
