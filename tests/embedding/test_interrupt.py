"""Ctrl-C during `elmo embed` with several processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from elmo_plugin.embedding.blocks import MAX_BLOCK_SENTENCES
from tests.helpers.command_line import RUN_MAIN

NUM_BLOCKS = 8


def test_all_processes_end_and_the_same_command_resumes(bilm_folder: str, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"sentence {i}\n" for i in range(NUM_BLOCKS * MAX_BLOCK_SENTENCES)))
    interrupted, partial = tmp_path / "interrupted.npy", tmp_path / "interrupted.npy.partial"
    process = subprocess.Popen(
        command(text, interrupted, bilm_folder, workers=2),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Background jobs of a shell ignore SIGINT, and so do the processes that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: process.poll() is not None or any(partial.glob("*.part")))
    assert num_workers(process.pid) == 2
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.splitlines()[-1] == "elmo: interrupted"
    assert "Traceback" not in errors
    wait_until(lambda: not is_running(process.pid))
    assert not interrupted.exists()
    assert 0 < len([*partial.glob("*.part")]) < NUM_BLOCKS

    whole = tmp_path / "whole.npy"
    for out, workers in ((interrupted, 2), (whole, 1)):
        subprocess.run(command(text, out, bilm_folder, workers), check=True, capture_output=True)
    assert interrupted.read_bytes() == whole.read_bytes()
    assert not partial.exists()


def command(text: Path, out: Path, bilm: str, workers: int) -> list[str]:
    options = ["--bilm", bilm, "--layers", "last", "--pooling", "mean", "--workers", str(workers)]
    return [sys.executable, "-c", RUN_MAIN, "embed", str(text), str(out), *options]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def num_workers(group: int) -> int:
    """Count the processes of a group that multiprocessing started to work."""
    workers = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # of processes that have ended meanwhile
            if os.getpgid(int(path.parent.name)) == group:
                workers.append("--multiprocessing-fork" in path.read_text())
    return sum(workers)


def is_running(group: int) -> bool:
    """Return True if the process group has a process."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
