"""Runs of biLMs' trainings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.models import Model

from tests.helpers.bilm_training import ROOT


def train_bilm(
    directory: Path, overrides: dict[str, Any], recover: bool = False, size: str = "mini"
) -> Model:
    config = ROOT / "training_configs" / "bilm" / f"{size}.jsonnet"
    model = train_model(Params.from_file(config, json.dumps(overrides)), str(directory), recover)
    assert model is not None
    return model


def read_metrics(directory: Path, epoch: int) -> dict[str, float]:
    return json.loads((directory / f"metrics_epoch_{epoch}.json").read_text())


def warnings_of(directory: Path) -> list[str]:
    """Return the warnings and errors that a training run logged."""
    lines = (directory / "out.log").read_text().splitlines()
    assert lines
    return [line for line in lines if " - WARNING - " in line or " - ERROR - " in line]
