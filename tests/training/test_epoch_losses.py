"""The loss of an epoch that two processes train."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.training.callbacks import TrainerCallback
from torch import distributed

from tests.helpers.bilm_training import ROOT, TINY, checkpointed_params
from tests.helpers.bilm_training_runs import read_metrics
from tests.helpers.distributed import TWO_PROCESSES, fork_trainings


@TrainerCallback.register("record_losses")
class RecordLosses(TrainerCallback):
    """Write the losses of each process's batches."""

    def __init__(self, serialization_dir: str) -> None:
        super().__init__(serialization_dir)
        self._losses: list[float] = []

    def on_batch(
        self,
        trainer: Any,
        batch_inputs: Any,
        batch_outputs: list[dict[str, Any]],
        *args: Any,
        is_training: bool = True,
        **kwargs: Any,
    ) -> None:
        if is_training:
            self._losses += [outputs["loss"].item() for outputs in batch_outputs]

    def on_epoch(self, *args: Any, **kwargs: Any) -> None:
        file = Path(self.serialization_dir, f"losses-{distributed.get_rank()}.json")
        file.write_text(json.dumps(self._losses))


def test_loss_is_the_mean_of_both_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    fork_trainings(monkeypatch)
    only = {"trainer.num_epochs": 1, "trainer.callbacks": ["record_losses"]}
    train_model(checkpointed_params({**TINY, **TWO_PROCESSES, **only}), str(tmp_path / "run"))
    first, second = (
        json.loads((tmp_path / "run" / f"losses-{rank}.json").read_text()) for rank in range(2)
    )
    assert len(first) == len(second) == TINY["data_loader.batches_per_epoch"]
    assert first != second
    mean = sum(first + second) / len(first + second)
    assert read_metrics(tmp_path / "run", 0)["training_loss"] == pytest.approx(mean)
