"""Atomic writes of files and directories."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from elmo_plugin.common.disk_errors import disk_errors
from elmo_plugin.common.file_locks import try_lock

_RANDOM_BYTES = 8
_TEMPORARY = re.compile(rf"\.(?P<name>.+)\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}\.tmp")


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """
    Return a temporary name beside `path` to write to. It becomes `path` if the block succeeds; if
    not, it is removed and `path` does not change. The file is on the disk when the block ends, has
    the permissions of the file that it replaces, and is written to the target of a symbolic link.
    Devices and pipes are written by a copy.

    The temporary file is `.NAME.RANDOM.tmp`, locked with flock while its process lives; files that
    killed processes left are removed by the next write to the same path. HDF5 takes the same
    lock: open the file with `locking=False`.

    # Raises

    `FileNotFoundError` : no directory to write to.
    `ValueError` : there is a directory at `path`.
    """
    path = Path(path)
    if path.exists() and not path.is_dir() and not path.is_file():
        with _copied_to(path) as temporary:
            yield temporary
        return
    target = Path(os.path.realpath(path))
    # Checked before the block: if two files are written together and one cannot be replaced,
    # neither is.
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path}: expected the directory {target.parent}, found none")
    if target.is_dir() or target.is_symlink():
        found = "a directory" if target.is_dir() else "a symbolic link that leads to itself"
        raise ValueError(f"{path}: expected a file or nothing, found {found}")
    with _locked_beside(target, _make_file) as (temporary, descriptor), disk_errors(path):
        yield temporary
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        os.fsync(descriptor)
        _move(temporary, target)


@contextmanager
def atomic_directory(path: str | Path) -> Iterator[Path]:
    """
    Return a temporary directory to write files into, which becomes `path`; see `atomic_write`.

    # Raises

    `FileNotFoundError` : no directory to write to.
    `ValueError` : there is something at `path`.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path}: expected the directory {target.parent}, found none")
    if os.path.lexists(target):
        raise ValueError(f"{path}: expected nothing there, found a file or directory")
    with _locked_beside(target, _make_directory) as (temporary, _), disk_errors(path):
        yield temporary
        for file in (temporary, *temporary.iterdir()):
            _synchronize(file)
        _move(temporary, target)


def remove_leftovers(directory: Path, name: str | None = None) -> None:
    """
    Remove the temporary files of processes that were killed.

    # Parameters

    directory : `Path`
    name : `str`, optional (default = `None`)
        Only those of this file.
    """
    for leftover in directory.iterdir():
        found = _TEMPORARY.fullmatch(leftover.name)
        if found is None or name not in (None, found["name"]):
            continue
        # In use or removed by another process, another user's, or on a file system without locks.
        with suppress(OSError):
            descriptor = os.open(leftover, os.O_RDONLY if leftover.is_dir() else os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(leftover)
            finally:
                os.close(descriptor)


@contextmanager
def _copied_to(device: Path) -> Iterator[Path]:
    with TemporaryDirectory() as directory:
        temporary = Path(directory, device.name)
        yield temporary
        with temporary.open("rb") as source, device.open("wb") as sink:
            shutil.copyfileobj(source, sink)


@contextmanager
def _locked_beside(target: Path, make: Callable[[Path], int]) -> Iterator[tuple[Path, int]]:
    """Yield a new, locked entry and its descriptor; remove it if the block leaves it there."""
    remove_leftovers(target.parent, target.name)
    while True:
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(_RANDOM_BYTES)}.tmp")
        descriptor = make(temporary)
        try:
            # Before it was locked, another process may have removed it as a leftover.
            if try_lock(descriptor) and temporary.exists():
                yield temporary, descriptor
                return
        finally:
            _remove(temporary)
            os.close(descriptor)


def _make_file(path: Path) -> int:
    # Mode as in open(), so that the umask applies.
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)


def _make_directory(path: Path) -> int:
    path.mkdir()
    return os.open(path, os.O_RDONLY)


def _move(temporary: Path, target: Path) -> None:
    os.replace(temporary, target)
    # Some file systems cannot; the file is complete in any case.
    with suppress(OSError):
        _synchronize(target.parent)


def _synchronize(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
