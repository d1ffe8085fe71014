"""The guides to biLMs: each block runs in the folder that those before it have left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.docs import ROOT, read_blocks
from tests.helpers.docs_session import Session


@pytest.mark.parametrize("name", ["pretraining", "fine-tuning"])
def test_guide_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "ERROR")
    session = Session(tmp_path)
    for block in read_blocks(ROOT / "docs" / f"{name}.md"):
        session.run(block)
