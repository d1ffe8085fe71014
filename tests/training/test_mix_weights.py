"""The callback `mix_weights` of a training that was killed between an epoch and its checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from elmo_plugin.layers import Elmo
from elmo_plugin.training.mix_weights import FILE, MixWeights
from tests.helpers.random_bilm import random_bilm


@pytest.fixture
def trainer() -> Any:
    return SimpleNamespace(model=Elmo(random_bilm()))


def written(folder: Path) -> list[tuple[int, float]]:
    lines = map(json.loads, (folder / FILE).read_text().splitlines())
    return [(line["epochs"], line["gamma"]) for line in lines]


def test_resumed_training_repeats_the_epochs_after_its_checkpoint(
    tmp_path: Path, trainer: Any
) -> None:
    [mix] = trainer.model.scalar_mixes
    killed = MixWeights(str(tmp_path))
    killed.on_start(trainer)
    torch.nn.init.constant_(mix.gamma, 2)
    killed.on_epoch(trainer, {}, 0)
    checkpoint = json.loads(json.dumps(killed.state_dict()))
    torch.nn.init.constant_(mix.gamma, 3)
    killed.on_epoch(trainer, {}, 1)
    assert written(tmp_path) == [(0, 1), (1, 2), (2, 3)]

    resumed = MixWeights(str(tmp_path))
    resumed.load_state_dict(checkpoint)
    resumed.on_start(trainer)
    assert written(tmp_path) == [(0, 1), (1, 2)]
    torch.nn.init.constant_(mix.gamma, 4)
    resumed.on_epoch(trainer, {}, 1)
    assert written(tmp_path) == [(0, 1), (1, 2), (2, 4)]


def test_other_processes_write_nothing(tmp_path: Path, trainer: Any) -> None:
    callback = MixWeights(str(tmp_path))
    callback.on_start(trainer, is_primary=False)
    callback.on_epoch(trainer, {}, 0, is_primary=False)
    assert list(tmp_path.iterdir()) == []
