"""Fixtures of training runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.interrupted_trainings import ROOT


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A directory with two shards of training text."""
    lines = (ROOT / "fixtures/lm/train.txt").read_text().splitlines(keepends=True)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.txt").write_text("".join(lines[:200]))
    (tmp_path / "text" / "b.txt").write_text("".join(lines[200:400]))
    return tmp_path / "text"
