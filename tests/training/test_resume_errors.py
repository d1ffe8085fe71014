"""Training runs that cannot be resumed."""

from __future__ import annotations

from pathlib import Path

import pytest
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from elmo_plugin.compat.command import running_command
from elmo_plugin.training.state_file import load_state, save_state
from tests.helpers.bilm_training import ROOT, checkpointed_params
from tests.helpers.distributed import TWO_PROCESSES, fork_trainings

import_plugins()


def test_checkpoint_of_another_trainer_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "run"
    train_model(checkpointed_params({"trainer.num_epochs": 1}), str(folder))
    (folder / "metrics.json").unlink()
    for file in folder.glob("training_state_*.th"):
        state = load_state(file)
        del state["processes"]
        save_state(state, file)
    with pytest.raises(ConfigurationError, match="expected a checkpoint of the trainer bilm"):
        train_model(checkpointed_params({"trainer.num_epochs": 1}), str(folder), recover=True)


def test_another_number_of_processes_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    fork_trainings(monkeypatch)
    alone = {"trainer.num_epochs": 1, "data_loader.prefetch": TWO_PROCESSES["data_loader.prefetch"]}
    train_model(checkpointed_params(alone), str(tmp_path / "run"))
    params = checkpointed_params({**alone, **TWO_PROCESSES})
    params.to_file(str(tmp_path / "run" / "config.json"))
    (tmp_path / "run" / "metrics.json").unlink()
    message = "^[^\n]*expected 1 processes, as at the start of the training, got 2$"
    with running_command(), pytest.raises(ConfigurationError, match=message):
        train_model(params, str(tmp_path / "run"), recover=True)


def test_another_configuration_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    train_model(checkpointed_params({"trainer.num_epochs": 1}), str(tmp_path / "run"))
    other = checkpointed_params({"trainer.num_epochs": 1, "model.cell_dim": 40})
    with pytest.raises(ConfigurationError, match="does not match the configuration"):
        train_model(other, str(tmp_path / "run"), recover=True)
    assert "model.cell_dim" in capfd.readouterr().err
