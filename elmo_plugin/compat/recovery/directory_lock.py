"""Keeps a second process from training in a directory in which another one trains."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from elmo_plugin.common.file_locks import try_lock, unlock
from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap

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
            raise configuration_error(
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


@wrap("allennlp.training.util", "create_serialization_dir")
def lock_serialization_directory(
    original: Any, params: Any, serialization_dir: Any, recover: bool, force: bool
) -> None:
    """With `--recover` or `--force`, AllenNLP trains where another process does, and each removes
    the other's checkpoints."""
    directory = Path(serialization_dir)
    with locked(directory):
        original(params, serialization_dir, recover, force)
    if _locks:
        _locks[-1].enter_context(locked(directory))


@wrap("allennlp.commands.train", "train_model")
def unlock_after_training(original: Any, *args: Any, **kwargs: Any) -> Any:
    """Release what `create_serialization_dir` has locked."""
    with ExitStack() as locks:
        _locks.append(locks)
        try:
            return original(*args, **kwargs)
        finally:
            _locks.pop()
