"""One process at a time holds a lock."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from elmo_plugin.common.file_lock import file_lock

HOLD = """
import sys, time
from pathlib import Path
from elmo_plugin.common.file_lock import file_lock
with file_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""

COUNT = """
import sys
from pathlib import Path
from elmo_plugin.common.file_lock import file_lock
counter = Path(sys.argv[1])
for _ in range(200):
    with file_lock(counter.with_suffix(".lock")):
        counter.write_text(str(int(counter.read_text()) + 1))
"""


def _hold(lock: Path, seconds: float) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", HOLD, str(lock), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_file_exists_while_the_lock_is_held(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    with file_lock(lock) as held:
        assert held and lock.exists()
    assert not lock.exists()


def test_lock_of_another_process_is_not_held(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    with _hold(lock, 60) as process:
        with file_lock(lock, wait=False) as held:
            assert not held
        assert lock.exists()
        process.kill()


def test_lock_of_another_process_is_waited_for(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    with _hold(lock, 0.5) as process, file_lock(lock) as held:
        assert held and lock.exists()
        assert process.wait() == 0


def test_killed_process_does_not_hold_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    with _hold(lock, 60) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert lock.exists()
    start = time.monotonic()
    with file_lock(lock) as held:
        assert held and time.monotonic() - start < 10


def test_processes_take_turns(tmp_path: Path) -> None:
    """No increment of a shared counter is lost."""
    counter = tmp_path / "counter.txt"
    counter.write_text("0")
    command = [sys.executable, "-c", COUNT, str(counter)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert counter.read_text() == "600"
