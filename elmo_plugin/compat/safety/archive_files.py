"""Opens an archive, a model.tar.gz or the serialization directory of a training run, and checks its
files. Errors name the archive and what is wrong in it."""

import json
import os
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path

from elmo_plugin.compat.safety.integrity import MISMATCH_ERRORS, PathLike

CONFIG = "config.json"
_NAMESPACES = "non_padded_namespaces.txt"

_MAX_ERROR_CHARACTERS = 600
_MAX_CONFIG_BYTES = 2**24
_MAX_LAYERS = 1000

Errors = tuple[type[Exception], ...]


@contextmanager
def open_archive(archive: PathLike, errors: Errors = MISMATCH_ERRORS) -> Iterator[str]:
    """
    Yield the directory of an archive's files, extracted until the block ends.

    # Parameters

    archive : `str` or `PathLike`
        A model.tar.gz, its URL, or the serialization directory of a training run.
    errors : `Tuple[Type[Exception], ...]`, optional (default = `MISMATCH_ERRORS`)
        Errors in the block that become a `ConfigurationError` that names the archive.

    # Raises

    `ConfigurationError` : the archive is damaged, or the block raised one of `errors`.
    `FileNotFoundError` : there is no archive.
    """
    from allennlp.models.archival import extracted_archive

    path = str(cached_path(archive))
    if os.path.isdir(path):
        with archive_errors(path, path, errors):
            yield path
        return
    with extracted_archive(path) as directory, archive_errors(archive, directory, errors):
        yield directory


@contextmanager
def archive_errors(archive: PathLike, directory: PathLike, errors: Errors) -> Iterator[None]:
    """
    Name the archive in errors of the block.

    # Parameters

    archive : `str` or `PathLike`
    directory : `str` or `PathLike`
        Where its files are extracted to, which errors may name instead.
    errors : `Tuple[Type[Exception], ...]`

    # Raises

    `ConfigurationError` : the block raised one of `errors`; one line.
    """
    try:
        yield
    except errors as error:
        problem = " ".join(str(error).replace(str(directory), str(archive)).split())
        if not isinstance(error, ConfigurationError):
            found = textwrap.shorten(f"{type(error).__name__}: {problem}", _MAX_ERROR_CHARACTERS)
            expected = "the configuration and weights of one model"
            if isinstance(error, FileNotFoundError):
                expected = "the files that its configuration names"
            problem = f"expected {expected}, found: {found}"
        if not problem.startswith(str(archive)):
            problem = f"{archive}: {problem}"
        raise ConfigurationError(problem) from error


def read_config(directory: PathLike) -> dict[str, Any]:
    """
    Read the configuration of a trained model, as the plain JSON that a training run writes.
    AllenNLP reads it as Jsonnet, which can read other files and the environment.

    # Returns

    `Dict[str, Any]` : "model" is an object that has a "type".

    # Raises

    `ConfigurationError` : not such a configuration, or one that runs code from elsewhere.
    """
    path = Path(directory, CONFIG)
    if not path.is_file():
        raise ConfigurationError(f"{directory}: expected {CONFIG} of a training run, found none")
    if path.stat().st_size > _MAX_CONFIG_BYTES:
        raise ConfigurationError(
            f"{path}: expected at most {_MAX_CONFIG_BYTES:,} bytes, found {path.stat().st_size:,}"
        )
    try:
        config = json.loads(path.read_text(encoding="utf-8"), object_hook=_check_object)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: expected a configuration, found: {error}") from error
    model = config.get("model") if isinstance(config, dict) else None
    if isinstance(model, str):
        model = {"type": model}
    if not isinstance(model, dict) or not isinstance(model.get("type"), str):
        raise ConfigurationError(f"{path}: expected a model and its type, found none")
    for key in ("vocabulary", "evaluation"):
        if not isinstance(config.get(key, {}), dict):
            raise ConfigurationError(
                f"{path}: {key}: expected an object, found {config[key]!r:.80}"
            )
    return {**config, "model": model}


def _check_object(values: dict[str, Any]) -> dict[str, Any]:
    """Refuse options that make `transformers` run downloaded code or load pickles, and numbers of
    layers that take torch too long to build."""
    for key, safe in (("trust_remote_code", False), ("weights_only", True)):
        if values.get(key, safe) is not safe:
            raise ValueError(f"{key}: {json.dumps(values[key])}, which lets code of others run")
    for key, value in values.items():
        if key.endswith("layers") and isinstance(value, (int, float)) and value > _MAX_LAYERS:
            raise ValueError(f"{key}: {value}, which is more than {_MAX_LAYERS}")
    return values


def check_vocabulary(directory: PathLike) -> None:
    """
    Check that the files of a vocabulary are text, and that each namespace has a name.

    # Raises

    `ConfigurationError` : a file that is not UTF-8, or an empty line among the namespaces.
    """
    for path in sorted(Path(directory).glob("*.txt")):
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{path}: expected UTF-8, found: {error}") from error
        if path.name == _NAMESPACES:
            # Nothing follows the end of the last line.
            for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
                if not line.strip():
                    raise ConfigurationError(
                        f"{path}, line {number}: expected a namespace, found none"
                    )
