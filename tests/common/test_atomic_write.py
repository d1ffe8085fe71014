"""Atomic writes, of any path and with killed processes."""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from elmo_plugin.common.atomic_write import atomic_directory, atomic_write, remove_leftovers
from tests.helpers.processes import run_in_another_process
from tests.helpers.written_files import names, write

Writer = Callable[[Path], AbstractContextManager[Path]]


def killed_while_writing(writer: Writer, path: Path) -> None:
    """End the process as SIGKILL does, without any clean-up."""

    def run() -> None:
        with writer(path):
            os.kill(os.getpid(), signal.SIGKILL)

    assert run_in_another_process(run) == signal.SIGKILL


@pytest.mark.parametrize("old", [None, "old"])
def test_file_is_written_entirely_or_not_at_all(tmp_path: Path, old: str | None) -> None:
    path = tmp_path / "file"
    if old is not None:
        path.write_text(old)
    with pytest.raises(KeyboardInterrupt), atomic_write(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert (path.read_text() if path.exists() else None) == old
    write(path)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["file"]


def test_target_of_a_symbolic_link_is_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "target"
    link.symlink_to("elsewhere/target")
    for text in ("a target that is not there yet", "one that is"):
        write(link, text)
        assert link.is_symlink() and target.read_text() == text
    assert names(tmp_path / "elsewhere") == ["target"]


def test_link_to_itself_raises(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("link")
    with pytest.raises(ValueError, match=f"{link}: expected a file or nothing, found a symbolic"):
        write(link)
    assert link.is_symlink()


def test_pipe_is_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text)
        write(pipe, "text")
        assert read.result(timeout=10) == "text"
    assert pipe.is_fifo() and names(tmp_path) == ["pipe"]


def test_open_descriptor_is_written() -> None:
    """A link, as /dev/stdout is."""
    end, other = os.pipe()
    write(Path(f"/dev/fd/{other}"), "text")
    os.close(other)
    with open(end) as file:
        assert file.read() == "text"


def test_threads_write_the_same_path(tmp_path: Path) -> None:
    path, barrier = tmp_path / "file", threading.Barrier(4, timeout=10)

    def run(text: str) -> None:
        with atomic_write(path) as temporary:
            barrier.wait()  # All write at once.
            temporary.write_text(text)

    texts = [f"{number}" * 10_000 for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, texts))
    assert path.read_text() in texts
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("writer", [atomic_write, atomic_directory])
def test_temporary_file_of_a_killed_process_is_removed(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "path"
    killed_while_writing(writer, path)
    (left,) = names(tmp_path)
    assert left.startswith(".path.") and left.endswith(".tmp")
    # Others' files with names almost as these.
    others = [".path", ".path.bak", ".path.0123456789abcdef", f"{left}.tmp", left.replace("h", "H")]
    for name in others:
        (tmp_path / name).touch()
    with writer(path):
        assert left not in names(tmp_path)
    assert names(tmp_path) == sorted([*others, "path"])


def test_temporary_file_of_a_running_process_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_write(path) as first:
        first.write_text("first")
        assert run_in_another_process(lambda: write(path, "second")) == 0
        assert path.read_text() == "second"
        assert first.read_text() == "first"
    assert path.read_text() == "first"
    assert names(tmp_path) == ["file"]


def test_leftovers_of_a_directory_are_removed(tmp_path: Path) -> None:
    for name in ("a", "b.hdf5"):
        (tmp_path / f".{name}.0123456789abcdef.tmp").touch()
    kept = {".mine.tmp", "a.0123456789abcdef.tmp", ".a.0123.tmp"}
    for name in kept:
        (tmp_path / name).touch()
    with atomic_write(tmp_path / "c") as being_written:
        remove_leftovers(tmp_path)
        assert {file.name for file in tmp_path.iterdir()} == {*kept, being_written.name}


def test_permissions_equal_those_of_an_ordinary_file(tmp_path: Path) -> None:
    ordinary, path = tmp_path / "ordinary", tmp_path / "file"
    ordinary.touch()
    write(path)
    assert path.stat().st_mode == ordinary.stat().st_mode
    path.chmod(0o640)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("writer", [atomic_write, atomic_directory])
def test_file_is_synchronized_before_it_is_renamed(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[object] = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(descriptor: int) -> None:
        steps.append(os.fstat(descriptor).st_ino)
        real_fsync(descriptor)

    def replace(source: Path, target: Path) -> None:
        steps.append("replace")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    with writer(tmp_path / "path") as temporary:
        inode = temporary.stat().st_ino
    assert steps == [inode, "replace", tmp_path.stat().st_ino]
