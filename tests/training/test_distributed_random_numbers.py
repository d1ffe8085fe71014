"""Processes of a distributed training do not draw the same dropout masks and samples."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from allennlp.commands.train import train_model

from elmo_plugin.training.state_file import load_state
from tests.helpers.bilm_training import ROOT, TINY, checkpointed_params
from tests.helpers.distributed import TWO_PROCESSES, fork_trainings


def test_each_process_draws_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    fork_trainings(monkeypatch)
    changes = {**TINY, **TWO_PROCESSES, "trainer.num_epochs": 1}
    train_model(checkpointed_params(changes), str(tmp_path / "run"))
    files = list((tmp_path / "run").glob("training_state_*.th"))
    assert files
    for file in files:
        first, second = (each["random_state"]["torch"] for each in load_state(file)["processes"])
        assert not torch.equal(first, second)
