"""Atomic directories, and paths that cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from elmo_plugin.common.atomic_write import atomic_directory, atomic_write
from elmo_plugin.weights.input_files import check_not_read
from tests.helpers.written_files import names, write


def test_directory_is_written_entirely_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "directory"
    with pytest.raises(KeyboardInterrupt), atomic_directory(path) as temporary:
        (temporary / "file").write_text("half")
        raise KeyboardInterrupt
    assert not names(tmp_path)
    with atomic_directory(path) as temporary:
        (temporary / "file").write_text("whole")
        assert not path.exists()
    assert names(tmp_path) == ["directory"] and (path / "file").read_text() == "whole"
    with pytest.raises(ValueError, match=f"{path}: expected nothing there"), atomic_directory(path):
        pass


def test_paths_that_cannot_be_written_raise(tmp_path: Path) -> None:
    for writer in (atomic_write, atomic_directory):
        with pytest.raises(FileNotFoundError, match=r"none/x: expected the directory .*none, f"):
            writer(tmp_path / "none" / "x").__enter__()
    with pytest.raises(ValueError, match=f"{tmp_path}: expected a file or nothing, found a dir"):
        write(tmp_path)


def test_output_that_is_an_input_raises(tmp_path: Path) -> None:
    text, link, other = (tmp_path / name for name in ("text", "link", "other"))
    text.touch()
    other.touch()
    link.symlink_to(text)
    for written, read in ((text, text), (link, text), (text, link), (text, tmp_path / "t*")):
        with pytest.raises(ValueError, match=f"^{written}: expected an output file that is not"):
            check_not_read(written, ["none", read])
    check_not_read(text, [other, tmp_path, "none", "o*"])
    check_not_read(tmp_path / "new", [tmp_path / "new", text])
