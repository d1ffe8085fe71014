"""`elmo curve`: small trainings, and savings for scores with a known answer."""

import json
import math
from pathlib import Path

import pytest

from tests.helpers.locked_runs import lock_until
from tests.helpers.task_comparisons import NER, run_comparison

COMMAND = ("curve", NER / "baseline.jsonnet", NER / "elmo.jsonnet")
STEPS = math.ceil(20 / 16)  # instances over batch size


def test_savings_in_data_and_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = (*COMMAND, "--seeds", 1, 2, "--fractions", 0.1, 1.0)
    rows = run_comparison(monkeypatch, tmp_path, *command)["rows"]
    assert [(row["fraction"], row["trained on"]) for row in rows] == [(0.1, 2), (1.0, 20)]
    files = [json.loads(file.read_text()) for file in (tmp_path / "runs").glob("*.json")]
    assert {one["steps_per_epoch"] for one in files} == {STEPS}  # with either fraction
    assert (tmp_path / "table.svg").exists()

    # Ten times the data add 20 points, so ELMo reaches the baseline's 50 with 10**-0.5 of them.
    for file in (tmp_path / "runs").glob("*.json"):
        content = json.loads(file.read_text())
        whole = content["trained_on"] == 20
        score = {"baseline": 30.0, "ELMo": 40.0}[file.name.split("-")[1]] + 20.0 * whole
        content["scores"] = [20.0, 50.0, score] if whole else [score]
        file.write_text(json.dumps(content))
    metadata = run_comparison(monkeypatch, tmp_path, *command)["metadata"]
    expected = f"on 100% of the data, 50.00, with {100 * math.sqrt(0.1):.0f}%"
    assert expected in metadata["Data saved"]
    updates = 2 * STEPS  # both reach 50 in the second epoch
    assert f"takes {updates}, {updates} updates and ELMo {updates}" in metadata["Updates saved"]


def test_fraction_of_the_protocol_does_not_shorten_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = tmp_path / "protocol.libsonnet"
    protocol.write_text("{ ner: { fraction:: 0.5 } }")
    command = (*COMMAND, "--seeds", 1, "--fractions", 0.5, "--task-overrides", protocol)
    run_comparison(monkeypatch, tmp_path, *command)
    files = [json.loads(file.read_text()) for file in (tmp_path / "runs").glob("*.json")]
    assert {(one["trained_on"], one["steps_per_epoch"]) for one in files} == {(10, STEPS)}


def test_larger_fractions_are_trained_while_another_process_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    command = (*COMMAND, "--seeds", 1, "--fractions")
    run_comparison(monkeypatch, tmp_path, *command, 0.1)
    [trained] = runs.glob("ner-baseline-0.1-1-*.json")
    trained.unlink()
    lock = runs / f"{trained.stem.rpartition('-')[2]}.lock"
    with lock_until(lock, "ner-ELMo-1-*.json") as archives:
        rows = run_comparison(monkeypatch, tmp_path, *command, 0.1, 1.0)["rows"]
    assert {"ner-baseline-1", "ner-ELMo-1"} <= {name.rpartition("-")[0] for name in archives}
    assert [row["fraction"] for row in rows] == [0.1, 1.0]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--fractions", 1.0, 0.1), "fractions: expected ascending ones"),
        (("--seeds", 1, 1), "seeds: expected distinct ones"),
    ],
)
def test_options_out_of_order(
    options: tuple[object, ...], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=problem):
        run_comparison(monkeypatch, tmp_path, *COMMAND, *options)
    assert not (tmp_path / "table.json").exists()
