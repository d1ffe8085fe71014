"""Compiled loops where numba cannot be imported, and where its cache cannot be written."""

from pathlib import Path

import pytest

pytest.importorskip("numba")

from numba.core.caching import CacheImpl

from elmo_plugin.layers.fast.compiled.kernels.arithmetic import compiled
from tests.helpers.command_line import run_process

EMBED = """
import os
import sys
sys.path.insert(0, os.getcwd())
from elmo_plugin import Embedder
print(Embedder().encode(["The tea was cold ."])[0].shape)
"""


def test_kernel_is_compiled_without_a_directory_for_its_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    assert compiled(lambda number: 2 * number)(21) == 42


def test_numba_that_cannot_be_imported_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 2.3 or less')")
    found = run_process(tmp_path, code="; ".join(EMBED.strip().splitlines()))
    assert found.output.strip() == "(5, 512)"
    assert "numba is not used, as it cannot be imported: Numba needs NumPy" in found.errors
