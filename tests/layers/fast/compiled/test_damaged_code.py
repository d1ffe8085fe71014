"""Damaged files of compiled code are replaced."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

KERNEL = """
from elmo_plugin.layers.fast.compiled.kernels.arithmetic import compiled

@compiled
def double(number):
    return 2 * number
"""


def load(path: Path) -> Any:
    """Return the kernel, as a new process does."""
    spec = importlib.util.spec_from_file_location("kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.double


def hits(path: Path) -> int:
    """Return how often a call of the kernel found compiled code."""
    kernel = load(path)
    assert kernel(3.0) == 6.0
    return sum(kernel.stats.cache_hits.values())


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("keep", [0, 10])
def test_damaged_code_is_compiled_again(suffix: str, keep: int, tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    assert (hits(path), hits(path)) == (0, 1)
    (file,) = Path(load(path).stats.cache_path).glob(f"kernel*{suffix}")
    file.write_bytes(file.read_bytes()[:keep])
    assert (hits(path), hits(path)) == (0, 1)


def test_code_that_cannot_be_written_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    kernel = load(path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel._cache._cache_file, "save", fail)
    assert kernel(3.0) == 6.0
