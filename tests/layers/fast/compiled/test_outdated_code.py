"""Compiled code that is older than a source is removed."""

import os
from pathlib import Path

import pytest

pytest.importorskip("numba")
from numba import config

from elmo_plugin.layers.fast.compiled.kernels import remove_outdated_code
from elmo_plugin.layers.fast.compiled.kernels.arithmetic import compiled


def test_code_older_than_any_source_is_removed(tmp_path: Path) -> None:
    ages = {"caller.py": 30, "called.py": 20}
    code = {"caller.f.nbi": 25, "caller.f.1.nbc": 25, "called.g.nbi": 10, "called.cpython.pyc": 25}
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder, names in ((tmp_path, ages), (cache, code)):
        for name, age in names.items():
            (folder / name).touch()
            os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))
    remove_outdated_code(tmp_path, cache)
    assert {file.name for file in cache.iterdir()} == {"called.g.nbi", "called.cpython.pyc"}
    os.utime(tmp_path / "called.py", (1_000_000, 1_000_000))
    remove_outdated_code(tmp_path, cache)
    assert {file.name for file in cache.iterdir()} == {"called.cpython.pyc"}


def test_another_cache_directory_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def double(number: int) -> int:
        return 2 * number

    assert compiled(double)(21) == 42
    code = sorted(tmp_path.rglob("*.nb[ci]"))
    assert len(code) == 2
    for file in code:
        os.utime(file, (1, 1))  # older than the sources
    compiled(double)
    assert not list(tmp_path.rglob("*.nb[ci]"))
