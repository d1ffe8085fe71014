"""Training runs that are interrupted between two files that AllenNLP's trainer writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import allennlp.training.gradient_descent_trainer as allennlp_trainer
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.training.callbacks import TrainerCallback

from elmo_plugin.training.resumable_trainer import ResumableTrainer
from elmo_plugin.training.state_file import load_state
from tests.helpers.interrupted_trainings import (
    FIXTURES,
    ROOT,
    InterruptSecondEpoch,
    bilm,
    tagger,
    weights,
)

import_plugins()

AVERAGE = {"trainer.moving_average": {"type": "exponential", "decay": 0.9}}


@TrainerCallback.register("interrupt_validation")
class InterruptValidation(TrainerCallback):
    """Interrupt after the first batch of the first validation."""

    active = False

    def on_batch(self, *args: Any, is_training: bool = True, **kwargs: Any) -> None:
        if self.active and not is_training:
            raise KeyboardInterrupt


def _metrics(folder: Path, epoch: int) -> dict[str, Any]:
    content = json.loads((folder / f"metrics_epoch_{epoch}.json").read_text())
    return {k: v for k, v in content.items() if "memory" not in k and "duration" not in k}


def _test_loss(folder: Path) -> float:
    return json.loads((folder / "metrics.json").read_text())["test_loss"]


@pytest.mark.parametrize("num_samples", [None, 20])
def test_in_validation_after_a_checkpoint_of_the_last_batch(
    num_samples: int | None, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held-out perplexity does not include training batches."""
    changes = {
        "trainer.callbacks": ["interrupt_validation"],
        "trainer.checkpointer.save_every_num_batches": 4,
        "model.num_samples": num_samples,
    }
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_model(bilm(text, **changes), str(whole))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptValidation, "active", True)
        train_model(bilm(text, **changes), str(killed))
    assert (killed / "training_state_e0_b8.th").exists()
    train_model(bilm(text, **changes), str(killed), recover=True)
    for epoch in range(2):
        assert _metrics(killed, epoch) == _metrics(whole, epoch)


def _train_interrupted(changes: dict[str, Any], folder: Path) -> None:
    """Train a tagger with the callback "interrupt_second_epoch", and resume."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptSecondEpoch, "active", True)
        train_model(tagger(FIXTURES, **changes), str(folder))
    train_model(tagger(FIXTURES, **changes), str(folder), recover=True)


@pytest.mark.parametrize(
    "rule, validated",
    [({"validation_start": 1}, [1, 2, 3]), ({"validation_interval": 2}, [0, 2])],
    ids=str,
)
def test_epochs_without_validation(
    rule: dict[str, int], validated: list[int], tmp_path: Path
) -> None:
    changes: dict[str, Any] = {
        "test_data_path": str(FIXTURES / "train.conll"),
        "evaluate_on_test": True,
        "trainer.type": "resumable",
        "trainer.num_epochs": 4,
        "trainer.validation_metric": "-loss",  # falls in every epoch
        "trainer.checkpointer": {"type": "atomic", "keep_most_recent_by_count": 4},
        "trainer.learning_rate_scheduler": None,  # by the score, which not every epoch has
        "trainer.callbacks": [
            {"type": "should_validate_callback", **rule},
            "interrupt_second_epoch",
        ],
    }
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    trained = train_model(tagger(FIXTURES, **changes), str(whole))
    _train_interrupted(changes, killed)
    # In other epochs, AllenNLP repeats the scores of the last one that it validated since it began.
    for epoch in validated:
        assert _metrics(killed, epoch) == _metrics(whole, epoch)
    best = _metrics(whole, 3)["best_epoch"]
    assert best in validated and _metrics(killed, 3)["best_epoch"] == best
    # An epoch of the training, not of the validations.
    state = load_state(str(whole / "training_state_e2_b0.th"))
    assert state["metric_tracker"]["best_epoch"] == validated[0]
    # The weights are those at the end of the best of these epochs.
    expected = torch.load(whole / f"model_state_e{best + 1}_b0.th", weights_only=True)
    assert trained is not None
    # As if killed after the last checkpoint, which may be of an epoch without validation.
    (killed / "metrics.json").unlink()
    recovered = train_model(tagger(FIXTURES, **changes), str(killed), recover=True)
    assert recovered is not None
    for found in (weights(whole), weights(killed), trained.state_dict(), recovered.state_dict()):
        assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert _test_loss(killed) == pytest.approx(_test_loss(whole), rel=1e-5)  # order varies


def test_gradual_unfreezing_goes_on(tmp_path: Path) -> None:
    """The scheduler freezes layers as it is made, and unfreezes them by epoch."""
    groups = [[[name], {}] for name in ("embedder", "encoder", "projection|crf")]
    changes: dict[str, Any] = {
        "model.text_field_embedder.token_embedders.tokens.sparse": False,
        "trainer.type": "resumable",
        "trainer.num_epochs": 4,
        "trainer.optimizer": {"type": "adam", "parameter_groups": groups},
        "trainer.learning_rate_scheduler": {
            "type": "slanted_triangular",
            "gradual_unfreezing": True,
        },
        "trainer.checkpointer": "atomic",
        "trainer.callbacks": ["interrupt_second_epoch"],
    }
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_model(tagger(FIXTURES, **changes), str(whole))
    _train_interrupted(changes, killed)
    expected, found = (
        torch.load(folder / "model_state_e4_b0.th", weights_only=True) for folder in (whole, killed)
    )
    assert all(torch.equal(found[name], expected[name]) for name in expected)


class Killed(BaseException):
    """Simulate SIGKILL: AllenNLP handles no such exception."""


def _kill(*args: Any) -> None:
    raise Killed


def _params(kind: str, text: Path, averaged: bool) -> Params:
    changes = {"trainer.num_epochs": 1, "trainer.callbacks": [], **(AVERAGE if averaged else {})}
    if kind == "bilm":
        return bilm(text, **changes)
    checkpointer = {"type": "atomic"} if kind == "atomic" else {}
    return tagger(
        FIXTURES,
        **{"trainer.type": "resumable", "trainer.checkpointer": checkpointer},
        **{"trainer.optimizer": {"type": "adam", "lr": 0.01}},
        **{"model.text_field_embedder.token_embedders.tokens.sparse": False},
        **changes,
    )


@pytest.mark.parametrize("averaged", [False, True], ids=["last weights", "averaged weights"])
@pytest.mark.parametrize("kind", ["bilm", "atomic", "allennlp's checkpointer"])
def test_between_a_checkpoint_and_the_best_weights(
    kind: str, averaged: bool, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_model(_params(kind, text, averaged), str(whole))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(ResumableTrainer, "_save_model_state", _kill)
        patch.setattr(allennlp_trainer, "hardlink_or_copy", _kill)
        train_model(_params(kind, text, averaged), str(killed))
    assert not (killed / "best.th").exists()
    train_model(_params(kind, text, averaged), str(killed), recover=True)
    first, second = weights(whole), weights(killed)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_carried_state_is_that_of_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each epoch starts from the state that the previous validation left."""
    elmo = {
        "type": "elmo",
        "options_file": str(ROOT / "fixtures/bilm/options.json"),
        "weight_file": str(ROOT / "fixtures/bilm/weights.hdf5"),
        "initial_state": "carried",
        "dropout": 0,
    }
    changes = {
        "dataset_reader.token_indexers": {"elmo": {"type": "elmo_characters"}},
        "model.text_field_embedder": {"token_embedders": {"elmo": elmo}},
        "model.encoder.input_size": 64,
        "trainer.optimizer": {"type": "adam", "lr": 0.01},
        "trainer.type": "resumable",
        "trainer.callbacks": ["interrupt_second_epoch"],
    }
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_model(tagger(FIXTURES, **changes), str(whole))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptSecondEpoch, "active", True)
        train_model(tagger(FIXTURES, **changes), str(killed))
    train_model(tagger(FIXTURES, **changes), str(killed), recover=True)
    for epoch in range(2):
        assert _metrics(killed, epoch) == _metrics(whole, epoch)
