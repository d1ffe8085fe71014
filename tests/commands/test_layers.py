"""`elmo layers`: small trainings, and the arithmetic over their scores."""

import argparse
import json
from pathlib import Path
from statistics import mean, stdev

import pytest

from elmo_plugin.commands.layers import add_arguments
from elmo_plugin.experiments.table2_layer_weighting import variants
from elmo_plugin.weights.learned_mixes import Mix
from tests.helpers.task_comparisons import NER, OVERRIDES, run_comparison, set_scores

COMMAND = ("layers", NER / "baseline.jsonnet", NER / "elmo.jsonnet")


def test_rows_are_variants_with_gains_over_the_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (*COMMAND, "--seeds", 1, 2)
    table = run_comparison(monkeypatch, tmp_path, *command)
    names = ["baseline", "last only", "last only, gamma = 1"]
    names += ["all, lambda = 1", "all, lambda = 0.001", "all, lambda = 0.001, gamma = 1"]
    assert [row["layers"] for row in table["rows"]] == names
    assert table["title"] == "Layer weighting: NER" and table["paper"] == "Table 2"
    assert (tmp_path / "table.svg").stat().st_size and (tmp_path / "table.png").stat().st_size
    some = run_comparison(monkeypatch, tmp_path, *command, "--systems", names[1])
    assert [row["layers"] for row in some["rows"]] == [names[0], names[1], names[4]]

    scores = {"baseline": [40.0, 41.0], "last-only": [50.0, 54.0]}
    set_scores(tmp_path, scores)
    first, second, *_ = run_comparison(monkeypatch, tmp_path, *command)["rows"]
    for row, values in ((first, scores["baseline"]), (second, scores["last-only"])):
        found = row["F1"]
        assert (found["mean"], found["sd"]) == (mean(values), stdev(values))
    assert (first["gain"], second["gain"]) == (None, 52 - 40.5)


def test_unknown_systems_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = r"--systems: expected some of \['baseline', 'last only', .*, found \['last'\]"
    with pytest.raises(SystemExit, match=expected):
        run_comparison(monkeypatch, tmp_path, *COMMAND, "--systems", "last")
    assert not (tmp_path / "runs").exists()


def test_help_names_the_systems() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    shown = " ".join(parser.format_help().split())
    assert all(repr(name) in shown for name in {*variants("", "")} - {"baseline"})


@pytest.mark.slow
def test_strong_penalty_keeps_weights_more_even(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Validation on the training text, so that the best epoch is a late one.
    overrides = f"""{OVERRIDES} + {{
        trainer+: {{ num_epochs: 40, patience: null, optimizer: {{ type: 'adam', lr: 0.02 }} }},
        validation_data_path: $.train_data_path,
    }}"""
    run_comparison(monkeypatch, tmp_path, *COMMAND, "--seeds", 1, overrides=overrides)

    def unevenness(name: str) -> float:
        (file,) = (tmp_path / "runs").glob(f"ner-{name}-1-*.json")
        ((_, weights, _),) = (Mix(*mix) for mix in json.loads(file.read_text())["mixes"])
        return max(abs(weight - 1 / 3) for weight in weights)

    assert unevenness("all-lambda-1") < unevenness("all-lambda-0.001")


def test_json_is_all_of_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = run_comparison(monkeypatch, tmp_path, *COMMAND, "--seeds", 1, "--json")
    assert json.loads(capsys.readouterr().out) == table


def test_configuration_without_elmo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = NER / "baseline.jsonnet"
    with pytest.raises(SystemExit, match=r"baseline\.jsonnet: .* with ELMo, found 0"):
        run_comparison(monkeypatch, tmp_path, "layers", baseline, baseline)
    assert not (tmp_path / "table.json").exists()


def test_configurations_in_the_wrong_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, baseline, elmo = COMMAND
    with pytest.raises(SystemExit, match=r"elmo\.jsonnet: .* without ELMo, found 1 embed"):
        run_comparison(monkeypatch, tmp_path, "layers", elmo, baseline)
    assert not (tmp_path / "runs").exists()
