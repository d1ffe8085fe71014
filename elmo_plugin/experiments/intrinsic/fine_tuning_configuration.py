"""The configuration that fine-tunes a biLM on the text of a task, and the perplexity it reaches."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.json_text import read_json
from elmo_plugin.experiments.runner.configurations import Configuration, evaluate

SOURCE = "training_configs/bilm/finetune.jsonnet"
_METRIC = "best_validation_perplexity"


def fine_tuning_configuration(
    bilm: str, train: Path, dev: Path, cuda_device: int = -1
) -> Configuration:
    """Return the evaluated configuration that fine-tunes a biLM on a text."""
    texts = json.dumps({"train": str(train), "heldout": str(dev)})
    config: dict[str, Any] = evaluate(
        f"(import {json.dumps(SOURCE)}) {{"
        f"  start:: {json.dumps(bilm)},"
        f"  paths+:: {{ lm: {texts} }},"
        f"  trainer+: {{ cuda_device: {cuda_device} }},"
        "}",
        source=SOURCE,
    )
    return config


def portable_configuration() -> Configuration:
    """Return the configuration without paths, device and checkpoints."""
    config = fine_tuning_configuration("biLM", Path("train"), Path("dev"))
    return {**config, "trainer": {**config["trainer"], "checkpointer": None}}


def read_perplexity(metrics: Path) -> float:
    """
    Read the perplexity of the best epoch from a training run's metrics.

    # Raises

    `ConfigurationError` : none, or one that is not finite.
    """
    found = read_json(metrics)
    value = found.get(_METRIC) if isinstance(found, dict) else None
    if not isinstance(value, float) or not math.isfinite(value):
        raise ConfigurationError(f"{metrics}: {_METRIC}: expected a finite number, found {value!r}")
    return value
