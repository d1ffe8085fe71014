"""Log levels of this package's commands."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.helpers.command_line import elmo, run_process
from tests.helpers.small_archive import write_archive


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ALLENNLP_LOG_LEVEL", "ALLENNLP_DEBUG"):
        monkeypatch.delenv(name, raising=False)


def test_warnings_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    archive = write_archive(tmp_path / "run")
    caplog.set_level(logging.INFO)  # as AllenNLP does
    elmo(monkeypatch, "info", archive)
    assert all(record.levelno >= logging.WARNING for record in caplog.records)


def test_level_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "INFO")
    archive = write_archive(tmp_path / "run")
    ended = run_process(tmp_path, "info", archive)
    assert f"INFO - allennlp.models.archival - extracting archive file {archive}" in ended.errors
