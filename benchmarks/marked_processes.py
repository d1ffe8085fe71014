"""The processes of a command, which share a variable of its environment."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

EXIT_SECONDS = 30
"""Time in which all processes of a killed command have to end."""

_VARIABLE = "ELMO_BENCHMARK"


def marked_environment(mark: object) -> dict[str, str]:
    """Return this process's environment with a mark, which processes started with it inherit."""
    return {**os.environ, _VARIABLE: str(mark)}


def marked_processes(mark: object) -> list[int]:
    """Return the ids of all running processes with a mark."""
    variable = f"{_VARIABLE}={mark}".encode()
    pids = map(int, filter(str.isdecimal, os.listdir("/proc")))
    return [pid for pid in pids if variable in _read(pid, "environ").split(b"\0")]


def working_processes(mark: object) -> list[int]:
    """Leave out Python's resource tracker, which does none of the work."""
    pids = marked_processes(mark)
    return [pid for pid in pids if b"resource_tracker" not in _read(pid, "cmdline")]


def end_remaining(mark: object) -> int:
    """Return how many processes still run after a while, and end them."""
    deadline = time.monotonic() + EXIT_SECONDS
    while (pids := marked_processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(pids)


def _read(pid: int, name: str) -> bytes:
    """Read a file of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
