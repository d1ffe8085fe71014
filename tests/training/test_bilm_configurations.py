"""The configurations of new biLMs: they train, and have the sizes of this repository's biLMs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest

from elmo_plugin.compat.jsonnet_imports import read_import
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.weights.options import read_options
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[2]
KOREAN = ROOT / "examples" / "korean" / "korean.jsonnet"
CONFIGURATIONS = [
    *sorted(ROOT.glob("training_configs/bilm/[!f]*.jsonnet")),  # without those of fine-tuning
    KOREAN,
]
PUBLISHED = BilmConfig(filters=((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)))
OF_TRAINING = {"type", "dropout", "num_samples", "precision", "samples_per_direction"}

pytestmark = pytest.mark.usefixtures("at_the_root")


def evaluated(config: Path) -> Any:
    return json.loads(_jsonnet.evaluate_file(str(config), import_callback=read_import))


def sizes(config: Path) -> BilmConfig:
    model = evaluated(config)["model"]
    found = {key: value for key, value in model.items() if key not in OF_TRAINING}
    found["filters"] = tuple(map(tuple, found.get("filters", PUBLISHED.filters)))
    return BilmConfig(**found)


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: config.stem)
def test_a_tiny_copy_trains(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    language = "korean" if config == KOREAN else "train"
    text = {"train": f"fixtures/lm/{language}.txt", "heldout": "fixtures/lm/heldout.txt"}
    tiny = tmp_path / "tiny.jsonnet"
    tiny.write_text(
        f"""(import '{config}') {{
          paths+:: {{ lm+: {json.dumps(text)} }},
          distributed:: null,
          model+: {{ filters: [[1, 4], [3, 4]], projection_dim: 4, cell_dim: 8, num_samples: 8 }},
          data_loader+: {{ batch_size: 4, batches_per_epoch: 2 }},
          trainer+: {{ num_epochs: 1 }},
        }}"""
    )
    elmo(monkeypatch, "train", tiny, "-s", tmp_path / "run")
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["best_epoch"] == 0


@pytest.mark.parametrize(
    ("config", "options"),
    [
        ("training_configs/bilm/medium.jsonnet", "elmo_plugin/pretrained/options.json"),
        ("training_configs/bilm/large.jsonnet", "elmo_plugin/pretrained/large/options.json"),
        ("examples/korean/korean.jsonnet", "examples/korean/options.json"),
    ],
)
def test_sizes_are_those_of_the_trained_bilm(config: str, options: str) -> None:
    assert sizes(ROOT / config) == read_options(ROOT / options)


def test_sizes_of_the_paper() -> None:
    assert sizes(ROOT / "training_configs/bilm/paper.jsonnet") == PUBLISHED
