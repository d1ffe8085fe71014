"""Kills a training run at random moments."""

import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from marked_processes import end_remaining, working_processes

from soaking.training import BATCHES, Training

MAX_MORE_BATCHES = 10
"""Batches that a killed training run may still train on until its processes end."""

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PHASES = ("start", "training", "training", "checkpoint", "checkpoint", "checkpoint", "archive")
"""Phases in which a training run is killed, in this order until it ends."""


@dataclass
class Counts:
    """Results of all kills of training runs with the same number of processes."""

    phases: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)
    trainings: int = 0
    processes_left: int = 0
    problems: list[str] = field(default_factory=list)


def kill_often(training: Training, max_kills: int, rng: random.Random, counts: Counts) -> bool:
    """Kill a training run in each phase, resume it, and return True if it ended as it should."""
    for phase in PHASES[:max_kills]:
        training.start()
        wait_for(phase, training, rng)
        lines = training.lines()
        if training.process.poll() is None:
            number = rng.choice(SIGNALS)
            kill(training, number, rng)
            counts.phases[phase] += 1
            counts.signals[signal.Signals(number).name] += 1
            print(f"{training.folder}: {phase}, line {lines}, {number}", file=sys.stderr)
        elif training.process.returncode:
            return _report_failure(training, counts)
        left = end_remaining(training.folder)
        counts.processes_left += left
        if left:
            counts.problems.append(f"{training.folder.name}: {left} processes left")
        if training.process.wait() != 0 and training.lines() > lines + MAX_MORE_BATCHES:
            more = training.lines() - lines
            counts.problems.append(f"{training.folder.name}: {more} more batches after a kill")
    training.start()
    return training.process.wait() == 0 or _report_failure(training, counts)


def _report_failure(training: Training, counts: Counts) -> bool:
    counts.problems.append(f"{training.folder.name} cannot be resumed: {training.log()}")
    return False


def wait_for(phase: str, training: Training, rng: random.Random) -> None:
    """Wait for a random moment of a phase, or for the end of the training."""
    begun = training.lines()
    later = begun + rng.randint(1, BATCHES // 3)
    moments: dict[str, Callable[[], bool]] = {
        "start": lambda: True,
        "training": lambda: training.lines() >= later,
        "checkpoint": lambda: training.lines() >= later and _has(training, "_state"),
        "archive": lambda: any("model.tar.gz" in name for name in _names(training)),
    }
    moment = moments[phase]
    while training.process.poll() is None and not moment():
        # A checkpoint is written in less time than a pause takes.
        time.sleep(0.002 if training.lines() < later else 0)
    time.sleep(rng.uniform(0, 8 if phase == "start" else 0.01))


def _has(training: Training, part: str) -> bool:
    """Return True if such a file is being written under a temporary name."""
    return any(part in name and _is_temporary(name) for name in _names(training))


def _names(training: Training) -> list[str]:
    return os.listdir(training.folder) if training.folder.exists() else []


def _is_temporary(name: str) -> bool:
    return name.startswith((".", "tmp")) or name.endswith((".tmp", ".part"))


def kill(training: Training, number: int, rng: random.Random) -> None:
    """Send a signal to the command, or SIGKILL sometimes to another of its processes."""
    pids = working_processes(training.folder)
    others = [pid for pid in pids if pid != training.process.pid]
    pid = training.process.pid
    if number == signal.SIGKILL and others and rng.random() < 0.3:
        pid = rng.choice(others)
    with suppress(ProcessLookupError):
        os.kill(pid, number)
