"""`--force`, which replaces a training run by another."""

import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.recovery.directory import has_checkpoint, is_training
from elmo_plugin.compat.recovery.directory_lock import locked


@patch_module("allennlp.commands.train")
def keep_training_until_replaced(module: Any) -> Iterator[None]:
    """`--force` removes a training run before the configuration of its replacement is checked: an
    error there loses both."""
    yield
    train_model, run = module.train_model, module.TrainModel.run
    signature = inspect.signature(train_model)

    @wraps(train_model)
    def replace(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs)
        arguments.apply_defaults()
        directory = Path(arguments.arguments["serialization_dir"])
        # AllenNLP refuses to remove a link, before it trains.
        if not arguments.arguments["force"] or not directory.is_dir() or directory.is_symlink():
            return train_model(*args, **kwargs)
        _check_removable(directory)
        dry_run = arguments.arguments["dry_run"]
        with locked(directory):
            return _replace(directory, lambda: train_model(*args, **kwargs), dry_run)

    @wraps(run)
    def remove_replaced(self: Any) -> Any:
        _remove(_kept(Path(self.serialization_dir)))
        return run(self)

    module.train_model, module.TrainModel.run = replace, remove_replaced


def _check_removable(directory: Path) -> None:
    from allennlp.common.checks import ConfigurationError

    if Path.cwd().is_relative_to(directory.resolve()):
        raise ConfigurationError(
            f"{directory}: expected a directory that --force can remove, found the working "
            "directory or one that contains it"
        )
    if not is_training(directory):
        raise ConfigurationError(
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
