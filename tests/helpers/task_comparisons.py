"""Runs the commands that train taggers, on small models and data."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[2]
NER = ROOT / "training_configs" / "ner"
OVERRIDES = """{
    sizes+:: { hidden: 8 },
    paths+:: { bilm: {
        options_file: 'fixtures/bilm/options.json',
        weight_file: 'fixtures/bilm/weights.hdf5',
        dim: 64,
    } },
    data_loader+: { batch_sampler+: { batch_size: 16 } },
    trainer+: { num_epochs: 1 },
    dataset_reader+: { max_instances: 20 },
}"""


def run_comparison(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *command: object, overrides: str = OVERRIDES
) -> dict[str, Any]:
    """Run a command at the repository's root, and return the table that it writes."""
    monkeypatch.chdir(ROOT)
    outputs = ("--runs", tmp_path / "runs", "--out", tmp_path / "table")
    elmo(monkeypatch, *command, "--overrides", overrides, *outputs)
    return json.loads((tmp_path / "table.json").read_text())


def set_scores(tmp_path: Path, scores: dict[str, list[float]]) -> None:
    """Replace the scores of finished training runs, by name and seed."""
    for name, values in scores.items():
        for seed, value in enumerate(values, start=1):
            (file,) = (tmp_path / "runs").glob(f"ner-{name}-{seed}-*.json")
            file.write_text(json.dumps({**json.loads(file.read_text()), "scores": [value]}))
