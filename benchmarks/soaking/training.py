"""A training in processes of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MARKER = "ELMO_SOAK"
"""Environment variable of all processes of a training."""

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
        "checkpointer": {"type": "atomic", "save_every_num_batches": UNTIL_CHECKPOINT},
    },
}


class Training:
    """A run of `elmo train` in a folder, which can be killed and resumed."""

    def __init__(self, directory: Path, name: str) -> None:
        self.folder = directory / name
        self.process: subprocess.Popen[bytes]
        self._config = directory / "config.json"
        self._log = directory / f"{name}.log"

    def start(self) -> None:
        recover = ["--recover"] if self.folder.exists() else []
        command = ["train", str(self._config), "-s", str(self.folder), *recover]
        environment = {**os.environ, MARKER: str(self.folder), "OMP_NUM_THREADS": "1"}
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "elmo_plugin", *command],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                preexec_fn=_restore_interrupts,
            )

    def log(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]

    def lines(self) -> int:
        """Return the number of lines of its curve: one per batch and one per epoch."""
        curve = self.folder / "curve.jsonl"
        return curve.read_bytes().count(b"\n") if curve.exists() else 0

    def processes(self) -> list[int]:
        """Return the ids of its running processes, the command's included."""
        marker = f"{MARKER}={self.folder}".encode()
        return [pid for pid in _running() if marker in _environment(pid)]


def _running() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _environment(pid: int) -> bytes:
    """Return the environment of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _restore_interrupts() -> None:
    # Background jobs of a shell, and their children, ignore SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
