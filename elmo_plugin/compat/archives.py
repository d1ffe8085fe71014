"""Opens an archive of AllenNLP's, a model.tar.gz or the directory of a training, and checks it
before it is believed. An error names the archive and what in it is wrong."""

import json
import os
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path

from elmo_plugin.compat.integrity import MISFITS, PathLike

CONFIG = "config.json"
_NAMESPACES = "non_padded_namespaces.txt"

_ERROR_WIDTH = 600
_MOST_LAYERS = 1000


@contextmanager
def opened_archive(archive: PathLike) -> Iterator[str]:
    """
    Yields the directory of an archive's files, extracted for as long as the block runs; an error in
    the block becomes one that names the archive.

    # Parameters

    archive : `str` or `PathLike`
        A model.tar.gz, its URL, or the directory of a training.

    # Raises

    `ConfigurationError` : damaged, or whatever is found wrong in the block.
    `FileNotFoundError` : no archive.
    """
    from allennlp.models.archival import extracted_archive

    path = str(cached_path(archive))
    if os.path.isdir(path):
        with errors_of_archive(path, path):
            yield path
        return
    with extracted_archive(path) as directory, errors_of_archive(archive, directory):
        yield directory


@contextmanager
def errors_of_archive(
    archive: PathLike, directory: PathLike, errors: tuple[type[Exception], ...] = MISFITS
) -> Iterator[None]:
    """Names the archive in an error of whatever is built from it, in one line, also where the error
    would name the directory of its files."""
    try:
        yield
    except errors as error:
        problem = " ".join(str(error).replace(str(directory), str(archive)).split())
        if not isinstance(error, ConfigurationError):
            found = textwrap.shorten(f"{type(error).__name__}: {problem}", _ERROR_WIDTH)
            problem = f"expected the configuration and weights of one model, found: {found}"
        if not problem.startswith(str(archive)):
            problem = f"{archive}: {problem}"
        raise ConfigurationError(problem) from error


def read_config(directory: PathLike) -> dict[str, Any]:
    """
    Reads the configuration of a trained model. A training writes it as plain JSON; as Jsonnet,
    which AllenNLP takes it for, it could read other files and the environment.

    # Returns

    `Dict[str, Any]` : with an object "model" that has a "type".

    # Raises

    `ConfigurationError` : something else, or one that runs code from elsewhere.
    """
    path = Path(directory, CONFIG)
    if not path.is_file():
        raise ConfigurationError(f"{directory}: expected {CONFIG} of a training, found none")
    try:
        config = json.loads(path.read_text(encoding="utf-8"), object_hook=_checked_object)
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


def _checked_object(values: dict[str, Any]) -> dict[str, Any]:
    """Refuses what has `transformers` run code of others, or load pickles; and more layers than a
    model has, which torch would begin to make one by one."""
    for key, safe in (("trust_remote_code", False), ("weights_only", True)):
        if values.get(key, safe) is not safe:
            raise ValueError(f"{key}: {json.dumps(values[key])}, which lets code of others run")
    for key, value in values.items():
        if key.endswith("layers") and isinstance(value, (int, float)) and value > _MOST_LAYERS:
            raise ValueError(f"{key}: {value}, which is more than {_MOST_LAYERS}")
    return values


def check_vocabulary(directory: PathLike) -> None:
    """
    Checks that the files of a vocabulary are text, and that no namespace is without a name.

    # Raises

    `ConfigurationError` : a file that is not UTF-8, or an empty line among the namespaces.
    """
    for path in sorted(Path(directory).glob("*.txt")):
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{path}: expected UTF-8, found: {error}") from error
        if path.name == _NAMESPACES:
            # The last line's end is followed by nothing.
            for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
                if not line.strip():
                    raise ConfigurationError(
                        f"{path}, line {number}: expected a namespace, found none"
                    )
