"""`DeferredInterrupts`."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from elmo_plugin.common.interrupts import DeferredInterrupts


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    """Interrupt on SIGINT, also if a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupts_are_raised_at_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):
        with DeferredInterrupts():
            signal.raise_signal(signal.SIGINT)
            done.append("after the signal")
        done.append("after the block")
    assert done == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_blocks_in_blocks() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), DeferredInterrupts():
        with DeferredInterrupts():
            signal.raise_signal(signal.SIGINT)
        done.append("after the inner block")
    assert done


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with DeferredInterrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_default_of_the_operating_system() -> None:
    code = """
import signal
from elmo_plugin.common.interrupts import DeferredInterrupts
with DeferredInterrupts():
    signal.raise_signal(signal.SIGTERM)
    print("deferred", flush=True)
print("not ended")
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (-signal.SIGTERM, "deferred\n")


def test_other_threads() -> None:
    found = []

    def run() -> None:
        with DeferredInterrupts() as interrupts:
            found.extend(interrupts.interruptible(range(3)))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [0, 1, 2]
