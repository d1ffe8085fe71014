"""The process that makes batches ahead."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary

TEXTS = Path(__file__).parents[3] / "fixtures" / "lm"


def wait_for_room(pids: Connection) -> None:
    """Prefetch batches until the worker process waits for room; send its process ID."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has its children ignore it
    text = str(TEXTS / "train.txt")
    loader = BilmStreamLoader(BilmTextReader(), text, batch_size=256, batches_per_epoch=100)
    loader.index_with(BilmVocabulary.from_text(str(TEXTS / "heldout.txt")))
    next(iter(loader))
    [worker] = multiprocessing.active_children()
    wait_until_idle(worker.pid)
    pids.send(worker.pid)
    time.sleep(600)


def wait_until_idle(pid: int) -> None:
    """Wait until a process sleeps and takes no CPU time."""
    deadline = time.time() + 60
    before: list[str] | None = None
    while (now := state_and_cpu_time(pid)) != before or now[0] != "S":
        assert now and time.time() < deadline, now
        before = now
        time.sleep(0.2)


def state_and_cpu_time(pid: int) -> list[str]:
    """Return the state and the ticks in user and kernel mode; nothing without the process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [fields[0], *fields[11:13]]


def running(pid: int) -> bool:
    return state_and_cpu_time(pid)[:1] not in ([], ["Z"])


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for the process in /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGHUP])
def test_ends_with_the_process_that_it_works_for(sent: signal.Signals) -> None:
    """Blocked though it is, for its pipe is full and nobody reads it."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    trainer = context.Process(target=wait_for_room, args=(sending,))
    trainer.start()
    sending.close()  # so that an error there ends the wait
    worker = receiving.recv()
    try:
        assert running(worker)
        os.kill(trainer.pid, sent)
        trainer.join(20)
        deadline = time.time() + 20
        while running(worker) and time.time() < deadline:
            time.sleep(0.05)
        assert not running(worker)
    finally:
        trainer.kill()
        if running(worker):
            os.kill(worker, signal.SIGKILL)
