"""The directory of an unfinished run, beside its result."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.file_locks import try_lock
from elmo_plugin.common.json_text import read_json
from elmo_plugin.embedding.parts import PartStore

_OPTIONS = "run.json"
_LOCK = "lock"
_PATH = "bilm"
"""The option that may change: the weights, which are an option too, may have another path now."""


@contextmanager
def partial_run(out: Path, options: Mapping[str, Any]) -> Iterator[PartStore]:
    """
    Make or continue `OUT.partial`. It is removed if the block succeeds; otherwise it stays, unless
    it is empty.

    # Parameters

    out : `Path`
        The result.
    options : `Mapping[str, Any]`
        All that the vectors depend on beside the text.

    # Raises

    `ValueError` : another process is writing the same output, the interrupted run had other
    options, or the directory is a link or has other files.
    `FileNotFoundError` : no directory to write to.
    """
    if not out.absolute().parent.is_dir():
        raise FileNotFoundError(f"{out}: expected the directory {out.parent}, found none")
    directory = out.with_name(f"{out.name}.partial")
    if directory.is_symlink():
        raise ValueError(f"{directory}: expected a directory or nothing, found a symbolic link")
    directory.mkdir(exist_ok=True)
    store = PartStore(directory)
    _check_files(directory, store)
    with _locked(directory):
        store.remove_leftovers()
        _check_options(directory, options, store)
        try:
            yield store
        except BaseException:
            if store.is_empty():
                shutil.rmtree(directory)
            raise
        shutil.rmtree(directory)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    descriptor = os.open(directory / _LOCK, os.O_CREAT | os.O_RDWR, 0o666)
    in_use = ValueError(f"{directory}: another process is writing this output")
    try:
        if not try_lock(descriptor):
            raise in_use
        # Before it was locked, another process may have finished and removed the directory.
        if not os.fstat(descriptor).st_nlink:
            raise in_use
        yield
    finally:
        os.close(descriptor)


def _check_files(directory: Path, store: PartStore) -> None:
    """The directory is removed at the end, so it may hold nothing else."""
    others = store.other_files() - {_LOCK, _OPTIONS}
    # Files of a write that was killed.
    others = {name for name in others if not name.startswith(f".{_OPTIONS}.")}
    if others:
        raise ValueError(
            f"{directory}: expected the directory of an interrupted run, found other files: "
            f"{', '.join(sorted(others)[:3])}; move them, or write to another file"
        )


def _check_options(directory: Path, options: Mapping[str, Any], store: PartStore) -> None:
    file = directory / _OPTIONS
    if not file.exists():
        store.clear()  # an interrupted cleanup may leave parts without their options
        with atomic_write(file) as temporary:
            temporary.write_text(json.dumps(dict(options), indent=2))
        return
    found = read_json(file)
    if not isinstance(found, dict):
        raise ValueError(f"{file}: expected an object, found {found!r:.80}")
    wrong = [name for name in options if found.get(name) != options[name]]
    if set(wrong) - {_PATH}:
        was = ", ".join(f"{name} {found.get(name)!r}" for name in wrong)
        now = ", ".join(f"{name} {options[name]!r}" for name in wrong)
        raise ValueError(
            f"{directory}: expected the options of the interrupted run, {was}, got {now}; to start "
            "anew, delete this directory"
        )
