"""Atomic writes of the files that a training run can be killed while writing."""

import filecmp
import inspect
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from elmo_plugin.compat.patching import wrap

_ARCHIVES = "allennlp.models.archival"


@wrap("allennlp.data.vocabulary", "Vocabulary.save_to_files")
def write_vocabularies_atomically(original: Any, self: Any, directory: str) -> None:
    """AllenNLP overwrites a vocabulary's files even with the same words: a training run that is
    killed then has lost them."""
    os.makedirs(directory, exist_ok=True)
    with TemporaryDirectory(prefix=".writing-", dir=directory) as temporary:
        original(self, temporary)
        for file in os.listdir(temporary):
            written, kept = os.path.join(temporary, file), os.path.join(directory, file)
            if not os.path.exists(kept) or not filecmp.cmp(written, kept, shallow=False):
                os.replace(written, kept)


@wrap(_ARCHIVES, "archive_model")
def write_archives_atomically(original: Any, *args: Any, **kwargs: Any) -> str:
    """
    A training run that is killed while it writes its archive leaves a part of it under its name.
    """
    from elmo_plugin.common.atomic_write import atomic_write

    bound = inspect.signature(original).bind(*args, **kwargs)
    path = Path(bound.arguments.get("archive_path") or bound.arguments["serialization_dir"])
    if path.is_dir():
        path /= "model.tar.gz"
    with atomic_write(path) as temporary, _logged_as(path, temporary):
        bound.arguments["archive_path"] = temporary
        original(*bound.args, **bound.kwargs)
    return str(path)


@contextmanager
def _logged_as(path: Path, temporary: Path) -> Iterator[None]:
    """Let AllenNLP log the path of an archive, not that of the temporary file."""
    logger = logging.getLogger(_ARCHIVES)

    def rename(record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(path if arg == temporary else arg for arg in record.args)
        return True

    logger.addFilter(rename)
    try:
        yield
    finally:
        logger.removeFilter(rename)


@wrap("allennlp.common.params", "Params.to_file")
def write_configurations_atomically(
    original: Any, self: Any, params_file: Any, *args: Any, **kwargs: Any
) -> None:
    """AllenNLP overwrites config.json at every `--recover`."""
    from elmo_plugin.common.atomic_write import atomic_write

    with atomic_write(params_file) as temporary:
        original(self, temporary, *args, **kwargs)
