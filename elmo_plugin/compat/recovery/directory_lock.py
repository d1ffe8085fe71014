"""Keeps a second process from training in a directory in which another one trains."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from elmo_plugin.common.file_locks import try_lock, unlock
from elmo_plugin.compat.patching import patch_module

# Of the training runs of this process: one, unless a training run starts another.
_locks: list[ExitStack] = []
_descriptors: set[int] = set()


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Lock a directory, if it exists; no file is written."""
    if not directory.is_dir():
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    _descriptors.add(descriptor)
    try:
        if not try_lock(descriptor):
            from allennlp.common.checks import ConfigurationError

            raise ConfigurationError(
                f"{directory}: expected a directory that no other process is training in"
            )
        yield
    finally:
        if descriptor in _descriptors:  # not in a process that was forked
            unlock(descriptor)
            _close(descriptor)


def _close(descriptor: int) -> None:
    _descriptors.remove(descriptor)
    os.close(descriptor)


def _close_all() -> None:
    for descriptor in tuple(_descriptors):
        _close(descriptor)


# A worker process that outlives a killed training run for a moment does not hold its lock.
os.register_at_fork(after_in_child=_close_all)


@patch_module("allennlp.training.util")
def lock_serialization_directory(module: Any) -> Iterator[None]:
    """With `--recover` or `--force`, AllenNLP trains where another process does, and each removes
    the other's checkpoints."""
    yield
    original = module.create_serialization_dir

    @wraps(original)
    def create_serialization_dir(
        params: Any, serialization_dir: Any, recover: bool, force: bool
    ) -> None:
        directory = Path(serialization_dir)
        with locked(directory):
            original(params, serialization_dir, recover, force)
        if _locks:
            _locks[-1].enter_context(locked(directory))

    module.create_serialization_dir = create_serialization_dir


@patch_module("allennlp.commands.train")
def unlock_after_training(module: Any) -> Iterator[None]:
    """Release what `create_serialization_dir` has locked."""
    yield
    original = module.train_model

    @wraps(original)
    def train_model(*args: Any, **kwargs: Any) -> Any:
        with ExitStack() as locks:
            _locks.append(locks)
            try:
                return original(*args, **kwargs)
            finally:
                _locks.pop()

    module.train_model = train_model
