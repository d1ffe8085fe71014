"""Scores of coreference on some documents of the test data."""

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[1]
DOCUMENTS = ROOT / "fixtures" / "coref" / "dev.gold_conll"
READ = ("story/1", "story/4")
CONTROL = "ELMo, token layer only"
SAME = ("with ELMo", "gain", "95% CI of the gain", "p", "significant")


def test_documents_that_are_left_out_count_as_if_they_were_not_in_the_test_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = DOCUMENTS.read_text().split("#begin document ")[1:]
    unread = [part for part in parts if not part.startswith(tuple(f"({name})" for name in READ))]
    (tmp_path / "unread").write_text("".join(f"#begin document {part}" for part in unread))
    monkeypatch.chdir(ROOT)

    of_all = tasks(monkeypatch, tmp_path, DOCUMENTS)
    control = options(tmp_path, DOCUMENTS, "--systems", CONTROL)
    elmo(monkeypatch, "controls", "coref", *control)
    (of_control,) = (row for row in rows(tmp_path) if row["system"] == CONTROL)
    monkeypatch.setattr(sys, "argv", ["coref_unread.py", *READ, *control])
    runpy.run_path(str(ROOT / "benchmarks" / "coref_unread.py"), run_name="__main__")
    found = rows(tmp_path)
    # The same models, scored on a file of the other documents.
    for score in (tmp_path / "runs").glob("*.test.json"):
        score.unlink()
    of_unread = tasks(monkeypatch, tmp_path, tmp_path / "unread")

    both = [len(parts), len(unread)]
    assert [row["number"] for row in found] == [size for size in both for _ in range(2)]
    baselines = [row for row in found if row["system"] == "baseline"]
    for row, expected in zip(baselines, (of_all, of_unread), strict=True):
        assert {key: row[key] for key in SAME} == {key: expected[key] for key in SAME}
        assert row["average F1"] == expected["baseline"]
    assert found[1]["system"] == CONTROL
    assert found[1]["average F1"] == of_control["average F1"]
    assert found[1]["gain"] == of_control["ELMo vs. this system: gain"]


def tasks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, test: Path) -> dict[str, Any]:
    """Return the row of coreference that `elmo tasks` writes."""
    elmo(monkeypatch, "tasks", "coref", *options(tmp_path, test))
    (row,) = rows(tmp_path)
    return row


def options(tmp_path: Path, test: Path, *more: str) -> list[str]:
    sizes = "character: 4, character_filters: 6, hidden: 8, feedforward: 8"
    protocol = tmp_path / "protocol.libsonnet"
    protocol.write_text(
        f"{{ coref: {{ seeds:: [1], sizes+:: {{ {sizes} }}, trainer+: {{ num_epochs: 2 }} }} }}"
    )
    bilm = "options_file: 'fixtures/bilm/options.json', weight_file: 'fixtures/bilm/weights.hdf5'"
    overrides = (
        f"{{ paths+:: {{ coref+: {{ test: '{test}' }}, bilm: {{ {bilm}, dim: 64 }} }}, "
        "dataset_reader+: { max_instances: 4 } }"
    )
    files = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "table")]
    return ["--overrides", overrides, "--task-overrides", str(protocol), *files, "--draft", *more]


def rows(tmp_path: Path) -> list[dict[str, Any]]:
    return json.loads((tmp_path / "table.json").read_text())["rows"]
