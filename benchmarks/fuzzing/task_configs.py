"""Small configurations of the six tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "training_configs"

SIZES: dict[str, dict[str, Any]] = {
    "snli": {"hidden": 4},
    "srl": {"hidden": 4, "layers": 2, "predicate": 3},
    "coref": {
        **{"character": 3, "character_filters": 4, "hidden": 4, "feedforward": 6, "feature": 3},
        **{"span_width": 4, "antecedents": 10},
    },
    "ner": {"character": 4, "character_filters": 6, "hidden": 4},
    "sst5": {"hidden": 4, "output": [6, 5]},
    "squad": {"character": 4, "character_filters": 5, "hidden": 4, "linear": 8},
}
"""Sizes of the task models."""


def task_config(material: Path, task: str) -> dict[str, Any]:
    """The configuration with ELMo at the input, on little data."""
    paths = _task_paths(material, task)
    return json.loads(_evaluated(CONFIGS / task / "elmo.jsonnet", SIZES[task], paths))


def _evaluated(config: Path, sizes: dict[str, Any], paths: dict[str, Any]) -> str:
    import _jsonnet

    change = (
        f"{{ sizes+:: {json.dumps(sizes)}, paths+:: {json.dumps(paths)}, trainer+: "
        "{ num_epochs: 1 } }"
    )
    return _jsonnet.evaluate_snippet("material", f"(import '{config}') + {change}")


def _task_paths(material: Path, task: str) -> dict[str, Any]:
    data = {name: str(material / "data" / path) for name, path in DATA.items()}
    exported = material / "exported"
    return {
        task: {"train": data[task], "dev": data[task]},
        "vectors": {"file": str(material / "vectors.txt"), "dim": 16},
        "bilm": {
            "options_file": str(exported / "options.json"),
            "weight_file": str(exported / "weights.hdf5"),
            "dim": 8,
        },
    }


DATA = {
    "snli": "snli/dev.jsonl",
    "srl": "srl/dev",
    "coref": "coref/dev.gold_conll",
    "ner": "ner/dev.conll",
    "sst5": "sst5/dev.txt",
    "squad": "squad/dev.json",
}
"""The data of each task below `data`."""
