"""The tutorial runs, each block in the directory that those before it have left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.docs import ROOT, read_blocks
from tests.helpers.docs_session import run_blocks


def test_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks(read_blocks(ROOT / "docs" / "tutorial.md"), tmp_path, monkeypatch)
