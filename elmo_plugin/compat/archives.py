"""Opens an archive of AllenNLP's, a model.tar.gz or the directory of a training, and checks it
before it is believed. An error names the archive and what in it is wrong."""

import gzip
import json
import os
import struct
import textwrap
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Union
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path

PathLike = Union[str, "os.PathLike[str]"]

CONFIG, VOCABULARY = "config.json", "vocabulary"

# What constructors and `load_state_dict` raise of arguments and weights that do not fit.
_MISFITS = (
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
_NO_WEIGHTS = (*_MISFITS, BadZipFile, EOFError, struct.error)
ARCHIVE_DUE = "expected the whole model.tar.gz of a trained model"
_WEIGHTS_DUE = "expected whole weights, tensors by their names"
_ERROR_WIDTH = 600
_CHUNK_BYTES = 1 << 20
_DIRECTORY = 0x10


@contextmanager
def opened_archive(archive: PathLike) -> Iterator[str]:
    """
    The directory of an archive's files, for as long as the block runs; errors in the block become
    ones that name the archive.

    # Parameters

    archive : `str` or `PathLike`
        A model.tar.gz, its URL, or the directory of a training.

    # Raises

    `ConfigurationError` : damaged, or whatever is found wrong in the block.
    `FileNotFoundError` : no archive.
    """
    from allennlp.models.archival import extracted_archive

    path = str(cached_path(archive))
    with ExitStack() as stack:
        directory = path if os.path.isdir(path) else stack.enter_context(extracted_archive(path))
        with errors_of_archive(archive, directory):
            yield directory


@contextmanager
def errors_of_archive(archive: PathLike, directory: PathLike) -> Iterator[None]:
    """Names the archive in an error of whatever is built from it, in one line, also where the error
    would name the directory of its files."""
    try:
        yield
    except _MISFITS as error:
        known = isinstance(error, ConfigurationError)
        problem = str(error) if known else f"{type(error).__name__}: {error}"
        problem = textwrap.shorten(problem.replace(str(directory), str(archive)), _ERROR_WIDTH)
        if not known:
            problem = f"expected the configuration and weights of one model, found: {problem}"
        if not problem.startswith(str(archive)):
            problem = f"{archive}: {problem}"
        raise ConfigurationError(problem) from error


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


def read_config(directory: PathLike) -> dict[str, Any]:
    """
    The configuration of a trained model. A training writes it as plain JSON; as Jsonnet, which
    AllenNLP takes it for, it could read other files and the environment.

    # Returns

    `Dict[str, Any]` : with an object "model" that has a "type".

    # Raises

    `ConfigurationError` : something else, or one that runs code from elsewhere.
    """
    path = Path(directory, CONFIG)
    if not path.is_file():
        raise ConfigurationError(f"{directory}: expected {CONFIG} of a training, found none")
    try:
        config = json.loads(path.read_text(encoding="utf-8"), object_hook=_without_remote_code)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: expected a configuration, found: {error}") from error
    model = config.get("model") if isinstance(config, dict) else None
    if isinstance(model, str):
        model = {"type": model}
    if not isinstance(model, dict) or not isinstance(model.get("type"), str):
        raise ConfigurationError(f"{path}: expected a model and its type, found none")
    for key in ("vocabulary", "evaluation"):
        if not isinstance(config.get(key, {}), dict):
            raise ConfigurationError(f"{path}: {key}: expected an object, found {config[key]!r}")
    return {**config, "model": model}


def _without_remote_code(values: dict[str, Any]) -> dict[str, Any]:
    """What `transformers` has to be told before it runs code of others, or pickles."""
    for key, safe in (("trust_remote_code", False), ("weights_only", True)):
        if values.get(key, safe) is not safe:
            raise ValueError(f"{key}: {json.dumps(values[key])}, which lets code of others run")
    return values


def check_vocabulary(directory: PathLike) -> None:
    """
    Checks that a vocabulary is text.

    # Raises

    `ConfigurationError` : a file that is not UTF-8.
    """
    for path in sorted(Path(directory, VOCABULARY).glob("*.txt")):
        try:
            path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{path}: expected UTF-8, found: {error}") from error


@contextmanager
def weights_file(path: PathLike) -> Iterator[None]:
    """
    Around the reading of a file of weights. `torch.save` writes a zip file since torch 1.6, whose
    checksums `torch.load` ignores.

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
