"""Commands with `--cuda-device`, and training runs with `cuda_device`, against the CPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from allennlp.common.plugins import import_plugins

from tests.helpers.bilm_training import ROOT, TINY
from tests.helpers.command_line import elmo

import_plugins()
pytestmark = pytest.mark.gpu

HELDOUT = ROOT / "fixtures" / "lm" / "heldout.txt"


@pytest.fixture(scope="module")
def bilm(tmp_path_factory: pytest.TempPathFactory, cuda_device: int) -> Path:
    """The directory of a training on the device."""
    folder = tmp_path_factory.mktemp("bilm") / "run"
    overrides = {**TINY, "trainer.num_epochs": 1, "trainer.cuda_device": cuda_device}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
        elmo(patch, "train", config, "-s", folder, "-o", json.dumps(overrides))
    return folder


def test_perplexity(
    bilm: Path,
    cuda_device: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = []
    for where in (cuda_device, -1):
        options = ("--bilm", bilm, "--json", "--cuda-device", where)
        capsys.readouterr()
        elmo(monkeypatch, "perplexity", HELDOUT, *options)
        found.append(json.loads(capsys.readouterr().out)["perplexity"])
    trained = json.loads((bilm / "metrics.json").read_text())["best_validation_perplexity"]
    assert found == pytest.approx([trained, trained], rel=1e-4)


def test_evaluate_and_predict(
    bilm: Path, cuda_device: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = bilm / "model.tar.gz"
    (tmp_path / "lines.jsonl").write_text('{"sentence": "It is late ."}\n')
    scores, predictions = [], []
    for where in (cuda_device, -1):
        evaluated, predicted = tmp_path / f"{where}.json", tmp_path / f"{where}.jsonl"
        on = ("--cuda-device", where)
        elmo(monkeypatch, "evaluate", archive, HELDOUT, "--output-file", evaluated, *on)
        scores.append(json.loads(evaluated.read_text())["perplexity"])
        lines = tmp_path / "lines.jsonl"
        elmo(monkeypatch, "predict", archive, lines, "--output-file", predicted, *on)
        predictions.append(json.loads(predicted.read_text()))
    assert scores[0] == pytest.approx(scores[1], rel=1e-4)
    assert predictions[0].keys() == predictions[1].keys()
    for name, value in predictions[0].items():
        assert value == pytest.approx(predictions[1][name], rel=1e-3), name


def test_index_and_neighbors(
    cuda_device: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = []
    for where in (cuda_device, -1):
        index, on = tmp_path / str(len(found)), ("--cuda-device", where)
        elmo(monkeypatch, "index", HELDOUT, index, *on)
        capsys.readouterr()
        elmo(monkeypatch, "neighbors", index, "--query", "is", "It is late .", "--json", *on)
        [row, *_] = json.loads(capsys.readouterr().out)["rows"]
        found.append(row[list(row)[-1]])
    assert found[0] == found[1]


@pytest.mark.parametrize("task", ["ner/elmo_both", "srl/elmo"])
def test_task_models(
    task: str, cuda_device: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They train, with a frozen biLM and read-ahead, and evaluate alike on both devices."""
    monkeypatch.chdir(ROOT)
    overrides = {"trainer.num_epochs": 2, "trainer.cuda_device": cuda_device}
    config = ROOT / "training_configs" / f"{task}.jsonnet"
    elmo(monkeypatch, "train", config, "-s", tmp_path / "run", "-o", json.dumps(overrides))
    data = json.loads((tmp_path / "run" / "config.json").read_text())["validation_data_path"]
    losses = []
    for where in (cuda_device, -1):
        out = tmp_path / f"{where}.json"
        archive = tmp_path / "run" / "model.tar.gz"
        options = ("--output-file", out, "--cuda-device", where)
        elmo(monkeypatch, "evaluate", archive, data, *options)
        losses.append(json.loads(out.read_text())["loss"])
    # cuDNN's LSTMs, of the task models, round to ten bits.
    assert losses[0] == pytest.approx(losses[1], rel=1e-2)
