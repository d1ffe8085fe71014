"""Progress on a terminal and in a log."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
import time

import pytest

from elmo_plugin.common import progress as module
from elmo_plugin.common.progress import progress, progress_bar
from tests.helpers.terminal import read_terminal


def _count_slowly() -> None:
    for _ in progress(range(8), "counting", "items"):
        time.sleep(0.05)


def test_short_work_leaves_no_line_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    _count_slowly()
    assert capsys.readouterr().err == ""


def test_long_work_leaves_lines_in_a_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", 0.1)
    _count_slowly()
    with progress_bar(8, "counting", "items") as finished:
        for _ in range(4):
            time.sleep(0.1)
            finished(2)
    error = capsys.readouterr().err
    lines = error.splitlines()
    assert len(lines) >= 4
    assert all(line.startswith("counting: ") for line in lines)
    assert "8/8" in lines[-1]
    assert "\r" not in error


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    leader, follower = os.openpty()
    rows_and_columns = struct.pack("4H", 24, 80, 0, 0)
    fcntl.ioctl(follower, termios.TIOCSWINSZ, rows_and_columns)
    with os.fdopen(follower, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        _count_slowly()
    shown = read_terminal(leader)
    assert "\rcounting: " in shown
    assert "100%" in shown
