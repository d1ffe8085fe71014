"""Trainings that are interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.training.callbacks import TrainerCallback

ROOT = Path(__file__).parents[2]


FIXTURES = ROOT / "fixtures" / "compat"


SMALL: dict[str, Any] = {
    "model.filters": [[1, 8], [3, 8]],
    "model.projection_dim": 16,
    "model.cell_dim": 32,
    "data_loader.batch_size": 4,
    "data_loader.unroll_steps": 10,
    "data_loader.batches_per_epoch": 8,
    "data_loader.prefetch": 0,
    "trainer.num_epochs": 2,
    "trainer.checkpointer.save_every_num_batches": 3,
    "trainer.callbacks": ["interrupt"],
}


@TrainerCallback.register("interrupt")
class Interrupt(TrainerCallback):
    """Interrupt after a batch of the second epoch, by default the first."""

    active = False

    def __init__(self, serialization_dir: str, batch: int = 1) -> None:
        super().__init__(serialization_dir)
        self._batch = batch

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
        if self.active and (epoch, batch_number) == (1, self._batch):
            self.interrupt(**kwargs)

    def interrupt(self, **kwargs: Any) -> None:
        raise KeyboardInterrupt


@TrainerCallback.register("interrupt_second_epoch")
class InterruptSecondEpoch(TrainerCallback):
    """Interrupt after the second epoch, before its checkpoint."""

    active = False

    def on_epoch(
        self, trainer: Any, metrics: Any, epoch: int, is_primary: bool = True, **kwargs: Any
    ) -> None:
        if self.active and epoch == 1:
            raise KeyboardInterrupt


def bilm(text: Path, **changes: Any) -> Params:
    path = str(text / "*.txt")
    heldout = str(ROOT / "fixtures/lm/korean.txt")
    vocabulary = {"type": "bilm_text", "path": path, "max_size": 50}
    paths = {"train_data_path": path, "validation_data_path": heldout, "vocabulary": vocabulary}
    overrides = json.dumps({**SMALL, **paths, **changes})
    return Params.from_file(ROOT / "training_configs" / "bilm" / "mini.jsonnet", overrides)


def tagger(data: Path, **changes: Any) -> Params:
    """A model of AllenNLP's own, with its own trainer and checkpointer."""
    overrides = {"trainer.callbacks": ["interrupt"], "trainer.num_epochs": 2, **changes}
    files = {"FIXTURES": str(data)}
    return Params.from_file(FIXTURES / "tagger.jsonnet", json.dumps(overrides), files)


def interrupted(params: Params, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Interrupt, "active", True)
        train_model(params, str(folder))


def files(folder: Path) -> dict[str, Path]:
    """Paths of all files but logs, which this process appends to, and empty lock files."""
    found = {str(file.relative_to(folder)): file for file in folder.rglob("*") if file.is_file()}
    return {name: file for name, file in found.items() if not name.endswith((".log", ".lock"))}


def contents(folder: Path) -> dict[str, bytes]:
    return {name: file.read_bytes() for name, file in files(folder).items()}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return torch.load(folder / "best.th", weights_only=True)


def last_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return the weights after the second epoch; best.th may have those after the first."""
    return torch.load(folder / "model_state_e2_b0.th", weights_only=True)
