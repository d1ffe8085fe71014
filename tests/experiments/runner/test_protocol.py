"""The protocol: the search, the schedule in updates, and the refusal of uncommitted code."""

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from elmo_plugin.experiments.runner.changes import with_penalty
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.descriptions import SHARED_SETTINGS
from elmo_plugin.experiments.runner.protocol import DEFAULT_SEEDS, Schedule, read_protocol
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.reporting import provenance
from tests.helpers.task_comparisons import NER, OVERRIDES, ROOT

SYSTEMS = {name: System(str(NER / f"{name}.jsonnet")) for name in ("baseline", "elmo")}
GRID = "(import 'training_configs/lib/grid.libsonnet')([0.2, 0.5], [0.01])"
TEST = "{ paths+:: { ner+: { name: 'made up', test: 'fixtures/ner/dev.conll' } } }"


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()


def settings(folder: Path, *overrides: str, **other: Any) -> Settings:
    return Settings(" + ".join((OVERRIDES, *overrides)), None, str(folder / "runs"), **other)


def protocol(overrides: str) -> Any:
    return read_protocol(str(NER / "elmo.jsonnet"), overrides, "ner")


def test_hidden_fields_are_the_protocol() -> None:
    found = protocol(
        "{ seeds:: [4, 5], fraction:: 0.5, schedule:: { interval: 10, patience: 30, updates: 90 },"
        f"grid:: {GRID} }} + {TEST}"
    )
    assert (found.data, found.seeds, found.fraction) == ("made up", (4, 5), 0.5)
    assert found.schedule == Schedule(interval=10, patience=30, updates=90)
    assert found.grid == ["dropout 0.2, rate 0.01", "dropout 0.5, rate 0.01"]
    default = protocol("{}")
    assert (default.data, default.seeds, default.fraction) == (None, DEFAULT_SEEDS, 1)
    assert (default.schedule, default.grid) == (None, [])


@pytest.mark.parametrize(
    ("overrides", "problem"),
    [
        ("{ seeds:: 3 }", "seeds: expected a list of integers"),
        ("{ seeds:: [1, 1] }", "seeds: expected distinct ones"),
        ("{ fraction:: 2 }", "fraction: expected a number above 0 and at most 1"),
        ("{ schedule:: { interval: 1 } }", "schedule: expected numbers of updates for interval"),
        (
            "{ schedule:: { interval: 0, patience: 1, updates: 1 } }",
            "schedule: expected numbers of updates",
        ),
        ("{ grid:: 3 }", "grid: expected objects whose labels are strings, found '3'"),
        ('{ grid:: ["a"] }', "grid: expected objects whose labels are strings"),
        ("{ grid:: [{ label: 3 }] }", "grid: expected objects whose labels are strings"),
        ("{ paths+: { ner+: { name: 3 } } }", "paths: name: expected a string, found 3"),
    ],
)
def test_fields_of_another_form(overrides: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        protocol(overrides)


def test_errors_of_jsonnet_are_one_line() -> None:
    with pytest.raises(ConfigurationError) as error:
        protocol("{ seeds:: std.get(3, 'a', 1) }")
    message = str(error.value)
    assert "RUNTIME ERROR" in message and message.endswith(")")  # the place, in parentheses
    assert "\n" not in message and "\t" not in message


def test_schedule_counts_updates_whatever_the_fraction(tmp_path: Path) -> None:
    schedule = "{ schedule:: { interval: 3, patience: 6, updates: 9 }, seeds:: [1] }"
    comparison = Comparison("ner", {"baseline": SYSTEMS["baseline"]}, settings(tmp_path, schedule))
    for fraction in (0.2, 1.0):
        [run] = comparison.train(fraction)["baseline"].runs
        assert run.steps_per_epoch == 3 and len(run.scores) <= 3
        config = comparison.configuration("baseline", 1, None, fraction)
        assert (config["trainer"]["num_epochs"], config["trainer"]["patience"]) == (3, 2)
        assert "batches_per_epoch" not in config["validation_data_loader"]


def test_chosen_settings_are_trained_with_all_seeds(tmp_path: Path) -> None:
    given = settings(tmp_path, f"{{ grid:: {GRID}, seeds:: [1, 2] }} + {TEST}")
    comparison = Comparison("ner", SYSTEMS, given)
    outcomes = comparison.train()
    for name, outcome in outcomes.items():
        found = [
            json.loads(file.read_text())
            for i in (0, 1)
            for file in (tmp_path / "runs").glob(f"ner-{name}-search{i}-*[0-9a-f].json")
        ]
        best = max(range(2), key=lambda i: max(found[i]["scores"]))
        assert outcome.setting == comparison.protocol.grid[best]
        assert outcome.runs[0].fingerprint == found[best]["fingerprint"]
        assert len(outcome.runs) == len(outcome.evaluations) == 2
        assert {one.data for one in outcome.evaluations} == {"fixtures/ner/dev.conll"}
    # Each system has two settings; the chosen one with the first seed is not trained again.
    files = list((tmp_path / "runs").iterdir())
    assert sum(file.name.endswith(".tar.gz") for file in files) == 4  # of the chosen ones alone
    assert sum(file.suffix == ".json" for file in files) == 2 * (2 + 1) + 4
    metadata = comparison.metadata(outcomes)
    assert metadata["Data"] == "made up" and "test instances" in metadata["Score"]
    assert metadata["Configurations"] == {f"ner/{name}.jsonnet": [name] for name in SYSTEMS}
    assert metadata["biLM"].keys() == {"elmo"}  # the baseline has none
    assert comparison.find() == outcomes


def test_variants_have_the_settings_that_the_search_of_another_system_chose(
    tmp_path: Path,
) -> None:
    given = settings(tmp_path, f"{{ grid:: {GRID}, seeds:: [1] }}")
    elmo = SYSTEMS["elmo"]
    variant = System(elmo.path, change=lambda c, seed: with_penalty(c, 0.5), searched=elmo)
    comparison = Comparison("ner", {"baseline": SYSTEMS["baseline"], "variant": variant}, given)
    outcomes = comparison.train(fraction=0.5)
    assert {one.runs[0].trained_on for one in outcomes.values()} == {10}
    names = sorted(file.name for file in (tmp_path / "runs").glob("*.json"))
    # The searches of the two configurations, on all data; then a training of each system on half.
    searched = [f"ner-{name}-search{i}" for name in SYSTEMS for i in (0, 1)]
    trained = ["ner-baseline-0.5-1", "ner-variant-0.5-1"]
    assert [name.rsplit("-", 1)[0] for name in names] == sorted([*searched, *trained])
    best = Comparison("ner", {"elmo": elmo}, given).find()["elmo"]
    assert best.runs[0].trained_on == 20
    assert outcomes["variant"].setting == best.setting
    metadata = comparison.metadata(outcomes)
    assert metadata[SHARED_SETTINGS] == {"variant": "elmo"}


def test_search_is_repeated_if_a_lost_archive_is_trained_anew_with_a_lower_score(
    tmp_path: Path,
) -> None:
    given = settings(tmp_path, f"{{ grid:: {GRID}, seeds:: [1] }} + {TEST}")
    comparison = Comparison("ner", {"baseline": SYSTEMS["baseline"]}, given)
    first = comparison.train()["baseline"]
    for file in (tmp_path / "runs").glob("*.t*"):  # archives and test scores
        file.unlink()
    # A machine that rounds otherwise found the other setting to be best.
    for file in (tmp_path / "runs").glob("*.json"):
        run = json.loads(file.read_text())
        if run["fingerprint"] != first.runs[0].fingerprint:
            file.write_text(json.dumps({**run, "scores": [100.0]}))
    second = comparison.train()["baseline"]
    assert second.setting == first.setting
    assert second.runs[0].scores == pytest.approx(first.runs[0].scores)
    assert second.evaluations[0].score == pytest.approx(first.evaluations[0].score)
    assert comparison.find() == {"baseline": second}


def test_comparison_without_a_score_and_its_archive_is_not_finished(tmp_path: Path) -> None:
    given = settings(tmp_path, f"{{ seeds:: [1] }} + {TEST}")
    comparison = Comparison("ner", {"baseline": SYSTEMS["baseline"]}, given)
    trained = comparison.train()
    (archive,) = (tmp_path / "runs").glob("*.tar.gz")
    archive.unlink()
    assert comparison.find() == trained
    (score,) = (tmp_path / "runs").glob("*.test.json")
    score.unlink()
    assert comparison.find() == {}


def test_uncommitted_code_trains_drafts_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"baseline": SYSTEMS["baseline"]}
    monkeypatch.setattr(provenance, "code_version", lambda: "commit abc-dirty")
    with pytest.raises(ValueError, match=r"found commit abc-dirty; .* \(--draft\)"):
        Comparison("ner", one, settings(tmp_path, seeds=[1])).train()
    assert not (tmp_path / "runs").exists()
    Comparison("ner", one, settings(tmp_path, seeds=[1], draft=True)).train()
    monkeypatch.undo()
    monkeypatch.chdir(ROOT)
    (file,) = (tmp_path / "runs").glob("*.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "commit": "commit abc-dirty"}))
    with pytest.raises(
        ValueError, match="ner, baseline: expected training runs by code whose changes"
    ):
        Comparison("ner", one, settings(tmp_path, seeds=[1])).train()
