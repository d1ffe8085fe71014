"""`elmo layers`, `placement` and `curve`: small trainings, and the arithmetic over them."""

import json
import math
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.mixes import Mix
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parent.parent.parent
NER = ROOT / "training_configs" / "ner"
CHANGE = """{
    sizes+:: { character: 4, character_filters: 6, hidden: 8 },
    paths+:: { bilm: {
        options_file: 'fixtures/bilm/options.json',
        weight_file: 'fixtures/bilm/weights.hdf5',
        dim: 64,
    } },
    trainer+: { num_epochs: 1 },
    dataset_reader+: { max_instances: 20 },
}"""


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *command: object, change: str = CHANGE
) -> dict[str, Any]:
    """The table that the command writes."""
    places = ("--runs", tmp_path / "runs", "--out", tmp_path / "table")
    elmo(monkeypatch, *command, "--change", change, *places)
    return json.loads((tmp_path / "table.json").read_text())


def plant(tmp_path: Path, scores: dict[str, list[float]]) -> None:
    """Scores of our own in the place of the trainings', of the runs whose names start so."""
    for start, values in scores.items():
        for seed, value in enumerate(values, start=1):
            (file,) = (tmp_path / "runs").glob(f"ner-{start}-{seed}-*.json")
            file.write_text(json.dumps({**json.loads(file.read_text()), "scores": [value]}))


def test_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("layers", NER / "baseline.jsonnet", NER / "elmo.jsonnet", "--seeds", 1, 2)
    table = run(monkeypatch, tmp_path, *command)
    names = ["baseline", "last only", "all, lambda = 1", "all, lambda = 0.001"]
    assert [row["layers"] for row in table["rows"]] == names
    assert table["title"] == "Layer weighting: ner" and table["paper"] == "Table 2"
    assert (tmp_path / "table.svg").stat().st_size and (tmp_path / "table.png").stat().st_size

    planted = {"baseline": [40.0, 41.0], "last-only": [50.0, 54.0]}
    plant(tmp_path, planted)
    first, second, *_ = run(monkeypatch, tmp_path, *command)["rows"]
    for row, scores in ((first, planted["baseline"]), (second, planted["last-only"])):
        found = row["f1-measure-overall"]
        assert (found["mean"], found["sd"]) == (mean(scores), stdev(scores))
        assert row["gain"] == mean(scores) - 40.5


def test_what_the_layers_variants_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A penalty that is all there is keeps the weights even; without, they move."""
    # The text of training is scored too, so that the best epoch is a late one.
    change = f"""{CHANGE} + {{
        trainer+: {{ num_epochs: 40, patience: null, optimizer: {{ type: 'adam', lr: 0.02 }} }},
        validation_data_path: $.train_data_path,
    }}"""
    command = ("layers", NER / "baseline.jsonnet", NER / "elmo.jsonnet", "--seeds", 1)
    run(monkeypatch, tmp_path, *command, change=change)

    def unevenness(name: str) -> float:
        (file,) = (tmp_path / "runs").glob(f"ner-{name}-1-*.json")
        ((_, weights, _),) = (Mix(*mix) for mix in json.loads(file.read_text())["mixes"])
        return max(abs(weight - 1 / 3) for weight in weights)

    assert unevenness("all-lambda-1") < unevenness("all-lambda-0.001")


def test_placement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["baseline", "elmo", "elmo_output", "elmo_both"]
    paths = [NER / f"{name}.jsonnet" for name in names]
    table = run(monkeypatch, tmp_path, "placement", *paths, "--seeds", 1, "--share", 0.5)
    assert [row["configuration"] for row in table["rows"]] == names
    assert table["facts"]["Trained on"].startswith("10 instances")
    parameters = {row["configuration"]: row["trained parameters"] for row in table["rows"]}
    assert parameters["baseline"] < min(parameters["elmo"], parameters["elmo_output"])
    assert max(parameters["elmo"], parameters["elmo_output"]) < parameters["elmo_both"]


def test_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("curve", NER / "baseline.jsonnet", NER / "elmo.jsonnet", "--seeds", 1, 2)
    command = (*command, "--shares", 0.1, 1.0)
    rows = run(monkeypatch, tmp_path, *command)["rows"]
    assert [(row["share"], row["trained on"]) for row in rows] == [(0.1, 2), (1.0, 20)]
    files = [json.loads(file.read_text()) for file in (tmp_path / "runs").iterdir()]
    assert {one["updates"] for one in files} == {math.ceil(20 / 16)}  # at both shares
    assert (tmp_path / "table.svg").exists()

    # Ten times the data is worth 20 points: the baseline's 50 of all are ELMo's of 10**-0.5.
    for file in (tmp_path / "runs").iterdir():
        content = json.loads(file.read_text())
        whole = content["trained_on"] == 20
        score = {"baseline": 30.0, "ELMo": 40.0}[file.name.split("-")[1]] + 20.0 * whole
        content["scores"] = [20.0, 50.0, score] if whole else [score]
        file.write_text(json.dumps(content))
    facts = run(monkeypatch, tmp_path, *command)["facts"]
    assert f"{100 * math.sqrt(0.1):.1f} % of the data give the 50.00" in facts["Data"]
    updates = math.ceil(20 / 16)  # in an epoch; both reach 50 in the second
    assert f"takes {2 * updates}, {2 * updates} updates and ELMo {2 * updates}" in facts["Updates"]


def test_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(match: str, *command: object) -> None:
        with pytest.raises(ConfigurationError, match=match):
            run(monkeypatch, tmp_path, *command)
        assert not (tmp_path / "table.json").exists()

    baseline, with_elmo = NER / "baseline.jsonnet", NER / "elmo.jsonnet"
    other = ROOT / "training_configs" / "snli" / "elmo.jsonnet"
    fails(r"model\.type: expected the same in baseline and elmo", "placement", baseline, other)
    fails("CONFIG: expected two or more of different names", "placement", baseline)
    fails("expected an embedder of type elmo", "layers", baseline, baseline)
    fails("--shares: expected growing", "curve", baseline, with_elmo, "--shares", 1.0, 0.1)
    fails("--seeds: expected different ones", "curve", baseline, with_elmo, "--seeds", 1, 1)
    fails(r"nowhere\.jsonnet: expected a configuration", "placement", baseline, "nowhere.jsonnet")
