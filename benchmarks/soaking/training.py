"""A training run in processes of its own."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from marked_processes import marked_environment

ROOT = Path(__file__).parents[2]

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
    """A run of `elmo train` in a directory, which can be killed and resumed."""

    def __init__(self, directory: Path, name: str) -> None:
        self.folder = directory / name
        self.process: subprocess.Popen[bytes]
        self._config = directory / "config.json"
        self._log = directory / f"{name}.log"

    def start(self) -> None:
        recover = ["--recover"] if self.folder.exists() else []
        command = ["train", str(self._config), "-s", str(self.folder), *recover]
        environment = {**marked_environment(self.folder), "OMP_NUM_THREADS": "1"}
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


def _restore_interrupts() -> None:
    # Background jobs of a shell, and their children, ignore SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
