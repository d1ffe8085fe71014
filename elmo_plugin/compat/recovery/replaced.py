"""`--force`, which replaces a training run by another."""

import inspect
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap
from elmo_plugin.compat.recovery.directory import has_checkpoint, is_training
from elmo_plugin.compat.recovery.directory_lock import locked


@wrap("allennlp.commands.train", "train_model")
def keep_training_until_replaced(original: Any, *args: Any, **kwargs: Any) -> Any:
    """`--force` removes a training run before the configuration of its replacement is checked: an
    error there loses both."""
    arguments = inspect.signature(original).bind(*args, **kwargs)
    arguments.apply_defaults()
    options = arguments.arguments
    directory = Path(options["serialization_dir"])
    # AllenNLP refuses to remove a link, before it trains.
    if not options["force"] or not directory.is_dir() or directory.is_symlink():
        return original(*args, **kwargs)
    _check_removable(directory)
    with locked(directory):
        return _replace(directory, lambda: original(*args, **kwargs), options["dry_run"])


@wrap("allennlp.commands.train", "TrainModel.run")
def remove_replaced_training(original: Any, self: Any) -> Any:
    """Remove the training run that the patch above has kept, now that the replacement begins."""
    _remove(_kept(Path(self.serialization_dir)))
    return original(self)


def _check_removable(directory: Path) -> None:
    if Path.cwd().is_relative_to(directory.resolve()):
        raise configuration_error(
            f"{directory}: expected a directory that --force can remove, found the working "
            "directory or one that contains it"
        )
    if not is_training(directory):
        raise configuration_error(
            f"{directory}: expected a training run, which --force replaces, found other files and "
            "no config.json of a training run"
        )


def _replace(directory: Path, train: Callable[[], Any], dry_run: bool) -> Any:
    kept = _kept(directory)
    if kept.exists() and not has_checkpoint(directory):
        # A replacement was killed before it began; `kept` is what it should have replaced.
        shutil.rmtree(directory)
    else:
        _remove(kept)
        directory.rename(kept)
    try:
        model = train()
        if not dry_run:
            _remove(kept)
        return model
    finally:
        if kept.exists():
            shutil.rmtree(directory, ignore_errors=True)
            kept.rename(directory)


def _remove(kept: Path) -> None:
    """Remove a kept training: rename it first, since removing files in use may fail."""
    if not kept.exists():
        return
    rest = tempfile.mkdtemp(prefix=f"{kept.name}-", dir=kept.parent)
    with suppress(FileNotFoundError):
        kept.rename(rest)
    shutil.rmtree(rest, ignore_errors=True)


def _kept(directory: Path) -> Path:
    directory = Path(os.path.abspath(directory))
    return directory.with_name(f".{directory.name}.replaced")
