"""`elmo placement`, on small trainings."""

from pathlib import Path

import pytest

from tests.helpers.task_comparisons import NER, ROOT, run_comparison

NAMES = {"baseline": "baseline", "elmo": "input", "elmo_output": "output", "elmo_both": "both"}
"""Names of the rows, by configuration."""


def test_rows_are_configurations_with_their_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [NER / f"{name}.jsonnet" for name in NAMES]
    command = ("placement", *paths, "--seeds", 1, "--fraction", 0.5, "--title", "Where?")
    table = run_comparison(monkeypatch, tmp_path, *command)
    assert [row["configuration"] for row in table["rows"]] == [*NAMES.values()]
    assert table["title"].removeprefix("Draft: ") == "Where?"
    assert table["metadata"]["Trained on"].startswith("10 instances")
    parameters = {
        row["configuration"]: row["trainable parameters (first seed)"] for row in table["rows"]
    }
    assert parameters["baseline"] < min(parameters["input"], parameters["output"])
    assert max(parameters["input"], parameters["output"]) < parameters["both"]


@pytest.mark.parametrize(
    ("others", "problem"),
    [
        ([ROOT / "training_configs/snli/elmo.jsonnet"], r"model\.type: expected the same in"),
        ([], "CONFIG: expected two or more of different names"),
        ([NER / "baseline.jsonnet"], "CONFIG: expected two or more of different names"),
        (["nowhere.jsonnet"], r"nowhere\.jsonnet: expected a configuration"),
    ],
)
def test_configurations_that_do_not_compare(
    others: list[object], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=problem):
        run_comparison(monkeypatch, tmp_path, "placement", NER / "baseline.jsonnet", *others)
    assert not (tmp_path / "table.json").exists()


@pytest.mark.parametrize("command", ["placement", "controls"])
def test_task_overrides_without_the_task_of_a_configuration(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configuration's task is the name of its directory."""
    protocol = tmp_path / "protocol.libsonnet"
    protocol.write_text("{ ner: { seeds:: [4] } }")
    (tmp_path / "mine").mkdir()
    paths = [tmp_path / "mine" / f"{name}.jsonnet" for name in ("baseline", "elmo")]
    for path in paths:
        path.write_text(f"import '{NER / path.name}'")
    problem = "protocol.libsonnet: expected an object 'mine', .*baseline.jsonnet, found ner$"
    with pytest.raises(SystemExit, match=problem):
        run_comparison(monkeypatch, tmp_path, command, *paths, "--task-overrides", protocol)
