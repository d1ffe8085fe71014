"""The process that makes batches ahead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WAITS_FOR_ROOM = """
import multiprocessing, signal, time
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has its children ignore it
text = "fixtures/lm/train.txt"
loader = BilmStreamLoader(BilmTextReader(), text, batch_size=256, batches_per_epoch=100)
loader.index_with(BilmVocabulary.from_text("fixtures/lm/heldout.txt"))
next(iter(loader))
[worker] = multiprocessing.active_children()
time.sleep(2)
print(worker.pid, flush=True)
time.sleep(600)
"""


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for the process in /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGHUP])
def test_ends_with_the_process_that_it_works_for(sent: signal.Signals) -> None:
    """Blocked though it is, for its pipe is full and nobody reads it."""
    trainer = subprocess.Popen(
        [sys.executable, "-c", WAITS_FOR_ROOM],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert trainer.stdout is not None
    worker = int(trainer.stdout.readline())
    try:
        assert running(worker)
        trainer.send_signal(sent)
        trainer.wait(20)
        deadline = time.time() + 20
        while running(worker) and time.time() < deadline:
            time.sleep(0.05)
        assert not running(worker)
    finally:
        if running(worker):
            os.kill(worker, signal.SIGKILL)
