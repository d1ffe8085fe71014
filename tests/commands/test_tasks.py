"""`elmo tasks`, on small training runs of two tasks."""

import json
import re
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from elmo_plugin.experiments.table1_tasks import LEFT_OUT, relative_error_reduction
from tests.helpers.task_comparisons import run_comparison, set_scores

TASK_OVERRIDES = """{
    ner: { fraction:: 0.5, seeds:: [1, 2], trainer+: { patience: 1 } },
}"""


def tasks(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *names: str,
    task_overrides: str = TASK_OVERRIDES,
) -> list[dict[str, Any]]:
    file = tmp_path / "tasks.libsonnet"
    file.write_text(task_overrides)
    options = ("--task-overrides", file)
    table = run_comparison(monkeypatch, tmp_path, "tasks", *names, *options)
    assert table["paper"] == "Table 1"
    return table["rows"]


def read_left_out(tmp_path: Path) -> str:
    return json.loads((tmp_path / "table.json").read_text())["metadata"][LEFT_OUT]


def test_rows_are_finished_tasks_with_their_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [row] = tasks(monkeypatch, tmp_path, "ner")
    assert (row["task"], row["trained on"], row["seeds"]) == ("NER", 10, 2)
    assert row["ELMo placed at"] == "input"
    configs = [json.loads(file.read_text()) for file in (tmp_path / "runs").glob("*.json")]
    assert {config["trained_on"] for config in configs} == {10} and len(configs) == 4

    scores = {"baseline": [60.0, 62.0], "elmo": [70.0, 74.0]}
    set_scores(tmp_path, scores)
    [row] = tasks(monkeypatch, tmp_path, "ner")
    for column, values in (("baseline", scores["baseline"]), ("with ELMo", scores["elmo"])):
        assert (row[column]["mean"], row[column]["sd"]) == (mean(values), stdev(values))
    assert row["gain"] == 72 - 61
    assert row["relative error reduction (%)"] == pytest.approx(100 * 11 / (100 - 61))
    assert (row["paper: baseline"], row["paper: with ELMo"]) == (90.15, 92.22)
    assert row["paper: relative error reduction (%)"] == pytest.approx(21, abs=0.1)

    # Rows are in the paper's order, with all tasks that are finished.
    rows = tasks(monkeypatch, tmp_path, "sst5")
    assert [(one["task"], one["seeds"]) for one in rows] == [("NER", 2), ("SST-5", 3)]
    assert [one["score"] for one in rows] == ["F1", "accuracy"]

    # A task is named that was trained by code with changes that were not committed.
    (file,) = (tmp_path / "runs").glob("ner-elmo-2-*.json")
    committed = file.read_text()
    file.write_text(json.dumps({**json.loads(committed), "commit": "commit abc-dirty"}))
    assert [row["task"] for row in tasks(monkeypatch, tmp_path, "sst5")] == ["SST-5"]
    assert "ner is left out: ner, elmo: expected training runs by" in capsys.readouterr().err
    # A damaged record does not keep the other task from its table.
    file.write_text("{")
    assert [row["task"] for row in tasks(monkeypatch, tmp_path, "sst5")] == ["SST-5"]
    assert "ner is left out: " in capsys.readouterr().err
    file.write_text(committed)
    # Nor do missing test data.
    missing = TASK_OVERRIDES.replace("ner: {", "ner: { test_data_path: 'missing.conll',")
    rows = tasks(monkeypatch, tmp_path, "sst5", task_overrides=missing)
    assert [row["task"] for row in rows] == ["SST-5"]
    assert "ner is left out: test_data_path: expected a file" in capsys.readouterr().err

    # So is a task with some of its trainings.
    left_out = f"ner is left out: expected all runs .* in {tmp_path}/runs, found a part"
    tasks(monkeypatch, tmp_path, "sst5")
    assert not re.search(left_out, capsys.readouterr().err)
    assert read_left_out(tmp_path) == "none"
    next((tmp_path / "runs").glob("ner-elmo-2-*.json")).unlink()
    assert [row["task"] for row in tasks(monkeypatch, tmp_path, "sst5")] == ["SST-5"]
    assert re.search(left_out, capsys.readouterr().err)
    assert read_left_out(tmp_path) == "NER"


def test_task_without_labels_to_compare_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.conll").write_text("bank NN O O\n\nriver NN O O\n\n" * 4)
    one_label = f"""{{
        ner: {{
            seeds:: [1],
            trainer+: {{ num_epochs: 1 }},
            train_data_path: '{tmp_path}/train.conll',
            test_data_path: 'fixtures/ner/dev.conll',
        }},
    }}"""
    with pytest.raises(SystemExit, match="tasks: expected any of ner, found none"):
        tasks(monkeypatch, tmp_path, "ner", task_overrides=one_label)
    assert "ner is left out: " in capsys.readouterr().err


def test_unknown_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"TASK: expected some of squad, .*, got nope"):
        tasks(monkeypatch, tmp_path, "ner", "nope")


def test_task_overrides_that_are_no_jsonnet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.libsonnet").write_text("{")
    options = ("--task-overrides", tmp_path / "broken.libsonnet")
    with pytest.raises(SystemExit, match=r"broken\.libsonnet"):
        run_comparison(monkeypatch, tmp_path, "tasks", "ner", *options)


def test_seeds_of_a_task_that_is_not_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tasks.libsonnet"
    file.write_text("{ snli: { seeds:: [1, 1] } }")
    options = ("--task-overrides", file)
    with pytest.raises(SystemExit, match="snli: seeds: expected distinct ones"):
        run_comparison(monkeypatch, tmp_path, "tasks", "ner", *options)
    assert not (tmp_path / "runs").exists()


def test_no_errors_cannot_be_reduced() -> None:
    assert relative_error_reduction(100, 100) is None
    assert relative_error_reduction(50, 75) == 50
