"""Is a training that is killed again and again the one that never was?

Trains a small biLM on fixtures/lm with `elmo train`, kills it, resumes it with `--recover`, and so
on: while it starts, between two batches, while it writes a checkpoint, while it writes its archive;
the command, or one of its processes; with SIGKILL, SIGTERM or SIGINT; in one process and in two.
Then compares weights, curve, metrics and archive with those of a training that ran through, and
looks for processes and temporary files that were left. Exits with 1 if anything differs or is left.

    python benchmarks/soak.py --kills 50 --seed 0 --out results/soak
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out
from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.tables import Table

ROOT = Path(__file__).parents[1]
MARK = "ELMO_SOAK"
"""In the environment of all processes of a training."""

PATIENCE = 30
"""Seconds in which all processes of a training that was killed have to end."""

MORE = 10
"""Batches that they may train on meanwhile."""

BATCHES, EPOCHS, UNTIL_CHECKPOINT = 120, 2, 7
CONFIG: dict[str, Any] = {
    "dataset_reader": {"type": "bilm_text"},
    "vocabulary": {"type": "bilm_text", "path": "fixtures/lm/train.txt", "max_size": 1000},
    "train_data_path": "fixtures/lm/train.txt",
    "validation_data_path": "fixtures/lm/heldout.txt",
    "model": {
        **{"type": "bilm", "filters": [[1, 8], [3, 8]], "num_highways": 1, "dropout": 0.1},
        **{"projection_dim": 16, "cell_dim": 32, "num_samples": 20},
    },
    "data_loader": {
        **{"type": "bilm_streams", "batch_size": 4, "unroll_steps": 10, "prefetch": 3},
        "batches_per_epoch": BATCHES,
    },
    "validation_data_loader": {"batch_size": 32},
    "trainer": {
        **{"type": "bilm", "num_epochs": EPOCHS, "validation_metric": "-perplexity"},
        "optimizer": {"type": "adagrad", "lr": 0.2},
        "callbacks": [{"type": "bilm_curve", "every": 1}],
        "checkpointer": {"type": "whole_files", "save_every_num_batches": UNTIL_CHECKPOINT},
    },
}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PHASES = ("start", "training", "training", "checkpoint", "checkpoint", "checkpoint", "archive")
"""In which a training is killed, in this order until it has ended."""


@dataclass
class Counts:
    """Outcome of all kills of trainings in the same number of processes."""

    phases: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)
    trainings: int = 0
    processes_left: int = 0
    problems: list[str] = field(default_factory=list)


def main() -> None:
    arguments = parse_arguments()
    check_out(arguments)
    rng = random.Random(arguments.seed)
    counts = {processes: Counts() for processes in (1, 2)}
    with tempfile.TemporaryDirectory() as directory:
        for processes, of_these in counts.items():
            kills = (arguments.kills + 2 - processes) // 2
            soak(Path(directory, str(processes)), processes, kills, rng, of_these)
    write_result(arguments.out, Result(table(counts, arguments)))
    problems = [problem for of_these in counts.values() for problem in of_these.problems]
    sys.exit("\n".join(problems) if problems else 0)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="half of them in two processes; 50")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and the signals")
    add_out_argument(parser)
    return parser.parse_args()


def soak(directory: Path, processes: int, kills: int, rng: random.Random, counts: Counts) -> None:
    """Kill one training after the other, this many times in all."""
    directory.mkdir()
    config = CONFIG
    if processes > 1:
        config = {**CONFIG, "distributed": {"cuda_devices": [-1] * processes}}
    (directory / "config.json").write_text(json.dumps(config))
    whole = Training(directory, "whole")
    whole.start()
    if whole.process.wait() != 0:
        raise RuntimeError(f"the training that is not killed failed: {whole.log()}")
    while (done := counts.phases.total()) < kills:
        killed = Training(directory, f"killed-{counts.trainings}")
        kill_often(killed, kills - done, rng, counts)
        counts.trainings += 1
        counts.problems += [f"{killed.folder.name}: {one}" for one in differences(killed, whole)]


class Training:
    """`elmo train` in a folder, started anew where it was killed."""

    def __init__(self, directory: Path, name: str) -> None:
        self.folder = directory / name
        self.process: subprocess.Popen[bytes]
        self._config = directory / "config.json"
        self._log = directory / f"{name}.log"

    def start(self) -> None:
        recover = ["--recover"] if self.folder.exists() else []
        command = ["train", str(self._config), "-s", str(self.folder), *recover]
        environment = {**os.environ, MARK: str(self.folder), "OMP_NUM_THREADS": "1"}
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "elmo_plugin", *command],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                preexec_fn=_heed_interrupts,
            )

    def log(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]

    def lines(self) -> int:
        """Lines of its curve: one per batch and one per epoch."""
        curve = self.folder / "curve.jsonl"
        return curve.read_bytes().count(b"\n") if curve.exists() else 0

    def processes(self) -> list[int]:
        """All that run, the command's own among them."""
        mark = f"{MARK}={self.folder}".encode()
        return [pid for pid in _running() if mark in _environment(pid)]


def kill_often(training: Training, most: int, rng: random.Random, counts: Counts) -> None:
    """Kills a training in each phase, until it ends."""
    for phase in PHASES[:most]:
        training.start()
        wait_for(phase, training, rng)
        lines = training.lines()
        if training.process.poll() is None:
            number = rng.choice(SIGNALS)
            kill(training, number, rng)
            counts.phases[phase] += 1
            counts.signals[signal.Signals(number).name] += 1
            print(f"{training.folder}: {phase}, line {lines}, {number}", file=sys.stderr)
        counts.processes_left += left(training, counts)
        if training.process.wait() != 0 and training.lines() > lines + MORE:
            more = training.lines() - lines
            counts.problems.append(f"{training.folder.name}: {more} more batches after a kill")
    training.start()
    if training.process.wait() != 0:
        counts.problems.append(f"{training.folder.name} cannot be resumed: {training.log()}")


def wait_for(phase: str, training: Training, rng: random.Random) -> None:
    """Until a moment of the phase, or the end of the training."""
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
        # Files are written faster than a pause would be.
        time.sleep(0.002 if training.lines() < later else 0)
    time.sleep(rng.uniform(0, 8 if phase == "start" else 0.01))


def _has(training: Training, part: str) -> bool:
    """Return True if such a file is being written: it has a temporary name."""
    return any(part in name and _is_temporary(name) for name in _names(training))


def _names(training: Training) -> list[str]:
    return os.listdir(training.folder) if training.folder.exists() else []


def _is_temporary(name: str) -> bool:
    return name.startswith((".", "tmp")) or name.endswith((".tmp", ".part"))


def kill(training: Training, number: int, rng: random.Random) -> None:
    """The command; with SIGKILL sometimes another of its processes."""
    pids = training.processes()
    others = [pid for pid in pids if pid != training.process.pid]
    pid = training.process.pid
    if number == signal.SIGKILL and others and rng.random() < 0.3:
        pid = rng.choice(others)
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def left(training: Training, counts: Counts) -> int:
    """How many processes still run after a while; they are ended."""
    deadline = time.monotonic() + PATIENCE
    while (pids := training.processes()) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if pids:
        counts.problems.append(f"{training.folder.name}: {len(pids)} processes left")
    return len(pids)


def differences(killed: Training, whole: Training) -> Iterator[str]:
    """List differences from the uninterrupted training, and what should not be there."""
    for content in (_weights, _curve, _metrics, _words):
        found, expected = content(killed.folder), content(whole.folder)
        if found != expected:
            yield f"{content.__name__.strip('_')} differ"
    names = {path.name for path in killed.folder.rglob("*")}
    unexpected = names - {path.name for path in whole.folder.rglob("*")}
    if unexpected:
        yield f"left in its folder: {', '.join(sorted(unexpected))}"


def _weights(folder: Path) -> dict[str, Any]:
    state = torch.load(folder / "best.th", weights_only=True)
    return {name: (weight.shape, weight.numpy().tobytes()) for name, weight in state.items()}


def _curve(folder: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "curve.jsonl").read_text().splitlines())
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines]


def _metrics(folder: Path) -> dict[str, Any]:
    """Without those of time and memory."""
    contents = {file.name: json.loads(file.read_text()) for file in folder.glob("metrics*.json")}
    return {
        name: {k: v for k, v in content.items() if "duration" not in k and "memory" not in k}
        for name, content in contents.items()
    }


def _words(folder: Path) -> str:
    return (folder / "vocabulary" / "bilm.txt").read_text()


def _running() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _environment(pid: int) -> bytes:
    """Empty for a process that has ended, though nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _heed_interrupts() -> None:
    # A shell has its background jobs ignore them, and what these start as well.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def table(counts: dict[int, Counts], arguments: argparse.Namespace) -> Table:
    phases, names = sorted(set(PHASES)), [signal.Signals(number).name for number in set(SIGNALS)]
    columns = ("processes", "trainings", "kills", *phases, *names, "differences", "processes left")
    rows = [
        [
            *(processes, of_these.trainings, of_these.phases.total()),
            *(of_these.phases[phase] for phase in phases),
            *(of_these.signals[name] for name in names),
            *(len(of_these.problems), of_these.processes_left),
        ]
        for processes, of_these in counts.items()
    ]
    metadata = {
        "Kills": "while the training starts, between two batches, while a checkpoint is written, "
        "while the archive is; of SIGKILL, three in ten of a process that it started",
        "Differences": "from a training that ran through, in weights, curve, metrics, vocabulary, "
        "or the files in its folder",
        "Processes left": f"{PATIENCE} seconds after a kill",
        "Seed": arguments.seed,
    }
    return Table("Trainings that were killed", columns, rows, metadata, digits=0)


if __name__ == "__main__":
    main()
