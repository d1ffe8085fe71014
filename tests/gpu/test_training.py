"""Training runs on a GPU that are killed and resumed."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from soaking.comparison import differences
from soaking.training import CONFIG, UNTIL_CHECKPOINT, Training

pytestmark = pytest.mark.gpu

# Optimizers of sparse and of dense gradients, both types of matrices.
TRAININGS: dict[str, dict[str, Any]] = {
    "adagrad, float32": {"optimizer": {"type": "adagrad", "lr": 0.2}, "precision": "float32"},
    "adam, bfloat16": {"optimizer": {"type": "adam", "lr": 0.01}, "precision": "bfloat16"},
}
SIZES = {
    **{"projection_dim": 128, "cell_dim": 1024, "num_samples": 256},
    "filters": [[1, 32], [2, 32], [3, 64], [4, 128]],
}


@pytest.fixture(params=TRAININGS)
def directory(request: pytest.FixtureRequest, tmp_path: Path, cuda_device: int) -> Path:
    """A directory with the configuration of a training on the device."""
    options = TRAININGS[request.param]
    sizes = SIZES if cuda_device >= 0 else {}
    config = {
        **CONFIG,
        "model": {**CONFIG["model"], **sizes, "precision": options["precision"]},
        "data_loader": {**CONFIG["data_loader"], "batches_per_epoch": 40},
        "trainer": {
            **CONFIG["trainer"],
            "optimizer": options["optimizer"],
            "grad_norm": 1.0,
            "cuda_device": cuda_device,
        },
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


def test_killed_training_resumes_to_the_same_weights(directory: Path) -> None:
    whole, killed = Training(directory, "whole"), Training(directory, "killed")
    whole.start()
    assert whole.process.wait() == 0, whole.log()

    killed.start()
    for checkpoints in (1, 4):
        while killed.lines() < checkpoints * UNTIL_CHECKPOINT + 2:
            assert killed.process.poll() is None, killed.log()
            time.sleep(0.001)
        killed.process.send_signal(signal.SIGKILL)
        assert killed.process.wait() == -signal.SIGKILL
        assert not (killed.folder / "model.tar.gz").exists()
        killed.start()
    assert killed.process.wait() == 0, killed.log()
    assert list(differences(killed, whole)) == []
