"""Atomic writes of the files that a training run can be killed while writing."""

import filecmp
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.data.vocabulary")
def write_vocabularies_atomically(module: Any) -> Iterator[None]:
    """AllenNLP overwrites a vocabulary's files even with the same words: a training run that is
    killed then has lost them."""
    yield
    original = module.Vocabulary.save_to_files

    @wraps(original)
    def save_to_files(self: Any, directory: str) -> None:
        os.makedirs(directory, exist_ok=True)
        with TemporaryDirectory(prefix=".writing-", dir=directory) as temporary:
            original(self, temporary)
            for file in os.listdir(temporary):
                written, kept = os.path.join(temporary, file), os.path.join(directory, file)
                if not os.path.exists(kept) or not filecmp.cmp(written, kept, shallow=False):
                    os.replace(written, kept)

    module.Vocabulary.save_to_files = save_to_files


@patch_module("allennlp.models.archival")
def write_archives_atomically(module: Any) -> Iterator[None]:
    """
    A training run that is killed while it writes its archive leaves a part of it under its name.
    """
    yield
    original = module.archive_model

    @wraps(original)
    def archive_model(
        serialization_dir: Any,
        weights: str = module._DEFAULT_WEIGHTS,
        archive_path: Any = None,
        include_in_archive: Any = None,
    ) -> str:
        from elmo_plugin.common.atomic_write import atomic_write

        path = Path(archive_path or serialization_dir)
        if path.is_dir():
            path /= "model.tar.gz"
        with atomic_write(path) as temporary, _logged_as(path, temporary, module.logger):
            original(serialization_dir, weights, temporary, include_in_archive)
        return str(path)

    module.archive_model = archive_model


@contextmanager
def _logged_as(path: Path, temporary: Path, logger: logging.Logger) -> Iterator[None]:
    """Log the path of a file, not that of the temporary file."""

    def rename(record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(path if arg == temporary else arg for arg in record.args)
        return True

    logger.addFilter(rename)
    try:
        yield
    finally:
        logger.removeFilter(rename)


@patch_module("allennlp.common.params")
def write_configurations_atomically(module: Any) -> Iterator[None]:
    """AllenNLP overwrites config.json at every `--recover`."""
    yield
    original = module.Params.to_file

    @wraps(original)
    def to_file(self: Any, params_file: Any, *args: Any, **kwargs: Any) -> None:
        from elmo_plugin.common.atomic_write import atomic_write

        with atomic_write(params_file) as temporary:
            original(self, temporary, *args, **kwargs)

    module.Params.to_file = to_file
