"""The configuration that fine-tunes a biLM on the text of a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from elmo_plugin.experiments.runner.configurations import Configuration, evaluate

SOURCE = "training_configs/bilm/finetune.jsonnet"


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
