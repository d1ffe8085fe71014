"""Data loaders that shuffle their instances again in the middle of an epoch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common.plugins import import_plugins

from tests.helpers.interrupted_trainings import FIXTURES, interrupted, tagger

import_plugins()


@pytest.mark.parametrize("batches_per_epoch", [4, 5])
def test_resumed_training_equals_uninterrupted_training(
    batches_per_epoch: int, tmp_path: Path
) -> None:
    """With five, the batch after the checkpoint is the first of another pass."""
    changes: dict[str, Any] = {
        "trainer.type": "resumable",
        "trainer.num_epochs": 6,
        "trainer.callbacks": [{"type": "interrupt", "batch": 4}],
        "trainer.checkpointer": {"type": "atomic", "save_every_num_batches": 1},
        "data_loader.batch_size": 1,
        "data_loader.batches_per_epoch": batches_per_epoch,
        "validation_data_loader": {"batch_size": 2},
    }
    train_model(tagger(FIXTURES, **changes), str(tmp_path / "whole"))
    interrupted(tagger(FIXTURES, **changes), tmp_path / "killed")
    train_model(tagger(FIXTURES, **changes), str(tmp_path / "killed"), recover=True)
    for epoch in range(6):
        runs = (tmp_path / run / f"metrics_epoch_{epoch}.json" for run in ("whole", "killed"))
        whole, killed = (json.loads(file.read_text())["training_loss"] for file in runs)
        assert killed == whole
