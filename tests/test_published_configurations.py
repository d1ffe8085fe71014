"""The configurations `published.jsonnet` train, load and predict on the fixtures."""

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
from allennlp.common.plugins import import_plugins
from allennlp.predictors import Predictor

from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[1]
SIZES = {
    "squad": {"character": 4, "character_filters": 6, "hidden": 8, "linear": 10},
    "snli": {"hidden": 8},
    "coref": {"character": 3, "character_filters": 4, "hidden": 8, "feedforward": 6, "feature": 3},
}
CHANGES: dict[str, Any] = {
    "squad": {"data_loader": {"batches_per_epoch": 3}},
    "snli": {"dataset_reader": {"max_instances": 40}},
    "coref": {"dataset_reader": {"max_instances": 10}},
}
INPUTS: dict[str, Any] = {
    "squad": ({"question": "Who sailed?", "passage": "Ruth sailed to Porto."}, "best_span_str"),
    "snli": ({"premise": "A man sleeps.", "hypothesis": "He is awake."}, "label"),
    "coref": ({"document": [["Ruth", "met", "Ivan", "."], ["He", "left", "."]]}, "clusters"),
}


def configuration(task: str) -> str:
    changes = CHANGES[task] | {"trainer": {"num_epochs": 2}}
    merged = "".join(f"{key}+: {json.dumps(value)}, " for key, value in changes.items())
    bilm = {
        "options_file": "fixtures/bilm/options.json",
        "weight_file": "fixtures/bilm/weights.hdf5",
        "dim": 64,
    }
    return (
        f"(import '{ROOT}/training_configs/{task}/published.jsonnet') {{ {merged}"
        f"sizes+:: {json.dumps(SIZES[task])}, paths+:: {{ bilm: {json.dumps(bilm)} }} }}"
    )


@pytest.mark.parametrize("task", SIZES)
def test_trains_and_predicts(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    config, run = tmp_path / "config.jsonnet", tmp_path / "run"
    config.write_text(configuration(task))
    elmo(monkeypatch, "train", config, "-s", run)
    given, expected = INPUTS[task]
    assert expected in Predictor.from_path(str(run / "model.tar.gz")).predict_json(given)


def test_squad_is_scored_every_1200_updates() -> None:
    config = json.loads(_jsonnet.evaluate_file(f"{ROOT}/training_configs/squad/published.jsonnet"))
    assert config["data_loader"]["batches_per_epoch"] == 1200
    assert "batches_per_epoch" not in config["validation_data_loader"]
    questions, batch_size = 87_599, config["data_loader"]["batch_sampler"]["batch_size"]
    assert config["trainer"]["num_epochs"] == round(24 * questions / batch_size / 1200)
