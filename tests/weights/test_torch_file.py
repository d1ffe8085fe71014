"""Zip entries that `torch.load` would misread."""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import pytest
import torch

from elmo_plugin.training.state_file import load_state, save_state
from elmo_plugin.weights.cove_file import load_cove
from elmo_plugin.weights.torch_file import check_entries
from tests.helpers.cove import write_cove


@pytest.mark.parametrize(
    "save, load",
    [
        (write_cove, load_cove),
        (lambda path: save_state({"weight": torch.ones(3)}, path), load_state),
    ],
    ids=["cove", "checkpoint"],
)
def test_entry_marked_as_a_directory_raises(
    save: Callable[[Path], Any], load: Callable[[Path], Any], tmp_path: Path
) -> None:
    path = tmp_path / "file.th"
    save(path)
    whole = path.read_bytes()
    marks = [entry.start() + 38 for entry in re.finditer(b"PK\x01\x02", whole)]
    assert marks
    for mark in marks:
        changed = bytearray(whole)
        changed[mark] |= 0x10
        path.write_bytes(_with_checksum(bytes(changed)))
        with pytest.raises(ValueError, match=f"{path}: expected .* damage in "):
            load(path)


def _with_checksum(content: bytes) -> bytes:
    """Return the file with the checksum of what comes before it."""
    before, mark, _ = content.rpartition(b"blake2b ")
    if not mark:
        return content
    return before + mark + hashlib.blake2b(before, digest_size=16).hexdigest().encode()


def test_other_files_pass(tmp_path: Path) -> None:
    torch.save(torch.ones(2), tmp_path / "old.th", _use_new_zipfile_serialization=False)
    check_entries(tmp_path / "old.th")


def test_tar_files_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "old.th", "w") as archive:
        archive.addfile(tarfile.TarInfo("storages"))
    with pytest.raises(BadZipFile, match="found a tar file"):
        check_entries(tmp_path / "old.th")
