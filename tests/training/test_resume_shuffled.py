"""Data loaders that shuffle their instances again in the middle of an epoch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common.plugins import import_plugins
from allennlp.training.callbacks import TrainerCallback

from tests.helpers.interrupted_trainings import FIXTURES, tagger

import_plugins()


@TrainerCallback.register("interrupt_fourth_batch")
class InterruptFourthBatch(TrainerCallback):
    """Interrupt after the fourth batch of the second epoch, before its checkpoint."""

    active = False

    def on_batch(
        self,
        trainer: Any,
        batch_inputs: Any,
        batch_outputs: Any,
        batch_metrics: Any,
        epoch: int,
        batch_number: int,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if self.active and (epoch, batch_number) == (1, 4):
            raise KeyboardInterrupt


@pytest.mark.parametrize("batches_per_epoch", [4, 5])
def test_resumed_training_equals_uninterrupted_training(
    batches_per_epoch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With five, the batch after the checkpoint is the first of another pass."""
    changes: dict[str, Any] = {
        "trainer.type": "resumable",
        "trainer.num_epochs": 6,
        "trainer.callbacks": ["interrupt_fourth_batch"],
        "trainer.checkpointer": {"type": "atomic", "save_every_num_batches": 1},
        "data_loader.batch_size": 1,
        "data_loader.batches_per_epoch": batches_per_epoch,
        "validation_data_loader": {"batch_size": 2},
    }
    train_model(tagger(FIXTURES, **changes), str(tmp_path / "whole"))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptFourthBatch, "active", True)
        train_model(tagger(FIXTURES, **changes), str(tmp_path / "killed"))
    train_model(tagger(FIXTURES, **changes), str(tmp_path / "killed"), recover=True)
    # AllenNLP leaves out the batches before the interruption from the loss of their epoch.
    for epoch in range(2, 6):
        runs = (tmp_path / run / f"metrics_epoch_{epoch}.json" for run in ("whole", "killed"))
        whole, killed = (json.loads(file.read_text())["training_loss"] for file in runs)
        assert killed == whole
