"""The configurations of biLMs train."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from tests.helpers.bilm_training import ROOT, TINY
from tests.helpers.bilm_training_runs import read_metrics, train_bilm, warnings_of

import_plugins()


SMALLER = {key: value for key, value in TINY.items() if key.startswith("model.")}


@pytest.mark.parametrize(
    ("size", "smaller"), [("small", {}), ("large", {**SMALLER, "data_loader.batch_size": 64})]
)
def test_configurations_with_adam_train(
    size: str, smaller: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALLENNLP_LOG_LEVEL", raising=False)
    overrides = {
        **smaller,
        "model.num_samples": 100,
        "data_loader.batches_per_epoch": 4,
        "trainer.num_epochs": 2,
        "trainer.learning_rate_scheduler.warmup_steps": 2,
    }
    model = train_bilm(tmp_path / "run", overrides, size=size)
    perplexities = [read_metrics(tmp_path / "run", i)["validation_perplexity"] for i in range(2)]
    assert perplexities[1] < perplexities[0] < model.vocab.get_vocab_size("bilm")
    assert warnings_of(tmp_path / "run") == []


def test_configuration_paper_trains(tmp_path: Path) -> None:
    """In one process, with smaller sizes and fewer samples."""
    overrides = {
        **SMALLER,
        "distributed": None,
        "model.num_samples": 100,
        "data_loader.batch_size": 8,
        "data_loader.batches_per_epoch": 20,
        "trainer.num_epochs": 2,
    }
    model = train_bilm(tmp_path / "run", overrides, size="paper")
    perplexities = [read_metrics(tmp_path / "run", i)["validation_perplexity"] for i in range(2)]
    assert perplexities[1] < perplexities[0] < model.vocab.get_vocab_size("bilm")
    assert model.language_model.samples_per_direction


def test_configuration_finetune_published_trains(tmp_path: Path) -> None:
    """From the built-in biLM, on few batches."""
    overrides = {"data_loader.batch_size": 8, "data_loader.batches_per_epoch": 4}
    model = train_bilm(tmp_path / "run", overrides, size="finetune_published")
    assert model.language_model.samples_per_direction
    assert model.bilm.precision is None and model.language_model.dropout.p == 0.1
    config = json.loads((tmp_path / "run" / "config.json").read_text())["trainer"]
    published = {"type": "adagrad", "lr": 0.2, "initial_accumulator_value": 1.0}
    assert config["optimizer"] == published and "learning_rate_scheduler" not in config


def test_validation_on_windows_raises(tmp_path: Path) -> None:
    params = Params.from_file(ROOT / "training_configs" / "bilm" / "mini.jsonnet", json.dumps(TINY))
    del params.params["validation_data_loader"]
    with pytest.raises(ConfigurationError, match="validation_data_loader: expected one of whole"):
        train_model(params, str(tmp_path / "run"))
