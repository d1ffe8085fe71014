"""Named entities without and with ELMo: the configurations on the fixtures, and the benchmark."""

import json
import re
import runpy
import shlex
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import _jsonnet
import pytest
from allennlp.commands import main as run_command
from allennlp.common import Params
from allennlp.modules import TokenEmbedder

ROOT = Path(__file__).parent.parent
CONFIGS = ROOT / "training_configs" / "ner"
SMALL = {"trainer.num_epochs": 1, "data_loader.batch_sampler.batch_size": 64}


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # where the configurations' paths begin


def run(monkeypatch: pytest.MonkeyPatch, *command: object) -> None:
    """A command line as a user gives it, but in this process, which has AllenNLP loaded."""
    monkeypatch.setattr(sys, "argv", [str(word) for word in command])
    if command[0] == "elmo":
        run_command(prog="elmo")
    else:
        runpy.run_path(str(command[0]), run_name="__main__")


def evaluate(snippet: str) -> dict[str, Any]:
    return json.loads(_jsonnet.evaluate_snippet(str(CONFIGS / "test.jsonnet"), snippet))


@pytest.mark.parametrize("name", ["baseline", "elmo", "elmo_output", "elmo_both"])
def test_trains_evaluates_and_predicts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, archive = CONFIGS / f"{name}.jsonnet", tmp_path / "run" / "model.tar.gz"
    run(monkeypatch, "elmo", "train", config, "-s", archive.parent, "-o", json.dumps(SMALL))
    scores = tmp_path / "scores.json"
    dev = ROOT / "fixtures" / "ner" / "dev.conll"
    run(monkeypatch, "elmo", "evaluate", archive, dev, "--output-file", scores)
    trained = json.loads((archive.parent / "metrics.json").read_text())
    loss = json.loads(scores.read_text())["loss"]
    # batches of other sizes are averaged with equal weight
    assert loss == pytest.approx(trained["best_validation_loss"], rel=1e-3)

    sentences, tagged = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    sentences.write_text('{"sentence": "Ruth Adler didn\'t sail to Porto."}\n')
    run(monkeypatch, "elmo", "predict", archive, sentences, "--output-file", tagged, "--silent")
    prediction = json.loads(tagged.read_text())
    assert prediction["words"] == ["Ruth", "Adler", "did", "n't", "sail", "to", "Porto", "."]
    assert len(prediction["tags"]) == 8


def test_nothing_but_elmo_differs() -> None:
    baseline, elmo = (evaluate(f"import '{name}.jsonnet'") for name in ("baseline", "elmo"))
    assert elmo["dataset_reader"]["token_indexers"].pop("elmo") == {"type": "elmo_characters"}
    embedder = elmo["model"]["text_field_embedder"]["token_embedders"].pop("elmo")
    assert embedder.pop("type") == "elmo"
    defaults = {"dropout": 0, "do_layer_norm": False, "num_output_representations": 1}
    assert embedder == defaults
    embedder["type"] = "elmo"
    elmo["model"]["encoder"]["input_size"] -= TokenEmbedder.from_params(
        Params(embedder)
    ).get_output_dim()
    ((regex, penalty),) = elmo["model"].pop("regularizer")["regexes"]
    assert penalty == {"type": "l2", "alpha": 0.1}
    parameter = "text_field_embedder.token_embedder_elmo._elmo.scalar_mixes.0.scalar_parameters"
    assert re.search(regex, parameter)
    assert baseline["model"].pop("regularizer") == {"regexes": []}
    assert elmo == baseline


def test_other_data_and_seed_without_an_edit() -> None:
    config = evaluate(
        "(import 'elmo.jsonnet') { seed:: 7, paths+:: {"
        " ner: { train: 'a', dev: 'b' }, vectors: { file: 'c', dim: 10 },"
        " bilm: { options_file: 'd', weight_file: 'e', dim: 20 } } }"
    )
    seeds = (config["random_seed"], config["numpy_seed"], config["pytorch_seed"])
    assert seeds == (7, 7, 7)
    assert (config["train_data_path"], config["validation_data_path"]) == ("a", "b")
    assert config["vocabulary"]["pretrained_files"] == {"tokens": "c"}
    assert config["model"]["encoder"]["input_size"] == 10 + 128 + 20
    assert "fixtures" not in json.dumps(config)


def test_benchmark_repeats_no_finished_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for part in ("train", "dev"):
        text = (ROOT / "fixtures" / "ner" / f"{part}.conll").read_text()
        (data / f"{part}.txt").write_text("\n\n".join(text.split("\n\n")[:12]) + "\n")
    vectors, bilm = ROOT / "fixtures" / "vectors" / "vectors.16d.txt", ROOT / "fixtures" / "bilm"
    command = (
        f"benchmarks/ner.py --data {data} --vectors {vectors} --bilm {bilm} --results {tmp_path}"
    )

    run(monkeypatch, *shlex.split(f"{command} --seeds 1"))
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "ner").iterdir()}
    assert sorted(path.name for path in files) == ["baseline-1.json", "elmo-1.json"]
    run(monkeypatch, *shlex.split(f"{command} --seeds 1 2"))
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert len(list((tmp_path / "ner").iterdir())) == 4

    # With scores of our own in the place of those, the table holds what follows from them.
    scores = {"baseline": [40.0, 42.0], "elmo": [50.0, 53.0]}
    for name, values in scores.items():
        for seed, score in zip((1, 2), values):
            path = tmp_path / "ner" / f"{name}-{seed}.json"
            path.write_text(json.dumps(json.loads(path.read_text()) | {"f1": score}))
    run(monkeypatch, *shlex.split(f"{command} --seeds 1 2"))
    table = (tmp_path / "ner.md").read_text()
    for name, values in scores.items():
        assert f"| {name} | {mean(values):.2f} ± {stdev(values):.2f} |" in table
    assert "+10.50 F1, +17.8 % of the errors" in table  # 10.5 of the 59 that the baseline makes
    assert "12 sentences to train on, 12 to score" in table

    (data / "dev.txt").write_text((data / "train.txt").read_text())
    run(monkeypatch, *shlex.split(f"{command} --seeds 1"))
    assert all(path.stat().st_mtime_ns != before for path, before in files.items())
