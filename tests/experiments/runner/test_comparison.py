"""Comparisons of configurations, without training."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparable import (
    check_comparable,
    check_data,
    check_same_data,
    check_same_protocol,
)
from elmo_plugin.experiments.runner.content_hash import content_hash
from elmo_plugin.experiments.runner.descriptions import runs_ended_at_maximum
from elmo_plugin.experiments.runner.outcomes import Outcome, difference
from elmo_plugin.experiments.runner.protocol import Protocol
from elmo_plugin.experiments.runner.run_files import Evaluation, Run
from elmo_plugin.experiments.tasks import task_name

CONFIG: dict[str, Any] = {
    "model": {"type": "tagger"},
    "trainer": {"validation_metric": "+f1"},
    "train_data_path": "train",
    "validation_data_path": "dev",
}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"model": {"type": "other"}}, "model.type"),
        ({"trainer": {"validation_metric": "+accuracy"}}, "trainer.validation_metric"),
        ({"trainer": {**CONFIG["trainer"], "num_epochs": 9}}, "trainer.num_epochs"),
        ({"data_loader": {"batch_size": 9}}, "data_loader"),
        ({"train_data_path": "other"}, "train_data_path"),
        ({"validation_data_path": "other"}, "validation_data_path"),
    ],
)
def test_differences_are_named(changes: dict[str, Any], key: str) -> None:
    check_comparable({"a": CONFIG, "b": {**CONFIG, "dataset_reader": {}}})
    with pytest.raises(ConfigurationError, match=rf"{key}: expected the same in a and b, found"):
        check_comparable({"a": CONFIG, "b": {**CONFIG, **changes}})


def test_other_protocols_are_named() -> None:
    same, other = Protocol(grid=["rate 0.1"]), Protocol(grid=["rate 0.2"])
    check_same_protocol({"a": same, "b": Protocol(grid=["rate 0.1"])})
    with pytest.raises(ConfigurationError, match="grid: expected the same in a and b, found"):
        check_same_protocol({"a": same, "b": other})


def test_repeated_seeds() -> None:
    with pytest.raises(ConfigurationError, match="seeds: expected distinct ones"):
        Protocol(seeds=(1, 2, 1))


def test_task_name_is_that_of_the_folder() -> None:
    assert task_name("training_configs/ner/elmo.jsonnet") == "ner"


def _outcome(trained_on: int, *texts: int) -> Outcome:
    run = Run("f", "m", "accuracy", [50.0], [], [], 1, trained_on, 4, 1, 1, False, "", "")
    counts = [[[0.0] * n, [1.0] * n] for n in texts]
    scored = [
        Evaluation("f", "d", "h", "accuracy", 0.0, len(one[0]), one, "", "") for one in counts
    ]
    return Outcome([run], scored)


def test_systems_that_read_other_numbers_of_instances() -> None:
    check_same_data({"a": _outcome(8, 3), "b": _outcome(8, 3)})
    for other, part in ((_outcome(9, 3), "training"), (_outcome(8, 4), "test")):
        with pytest.raises(ConfigurationError, match=f"{part} instances: .* same in a and b"):
            check_same_data({"a": _outcome(8, 3), "b": other})


def test_seeds_that_were_scored_on_other_texts() -> None:
    with pytest.raises(ConfigurationError, match=r"same texts .*\(3, 2\) and \(4, 2\)"):
        _ = _outcome(8, 3, 4).counts


def test_data_are_checked_before_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = dict.fromkeys(("train_data_path", "validation_data_path", "test_data_path"))
    config = {**CONFIG, **{key: str(tmp_path) for key in paths}}
    check_data(config)
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    check_data({**config, **dict.fromkeys(paths, f"~/{tmp_path.name}")})
    (tmp_path / "text").write_text("content")
    assert content_hash(f"~/{tmp_path.name}/text") == content_hash(tmp_path / "text")
    check_data({**config, "test_data_path": None, "train_data_path": str(tmp_path.parent / "*")})
    for key in paths:
        with pytest.raises(ConfigurationError, match=f"{key}: expected .*none"):
            check_data({**config, key: str(tmp_path / "none")})
    with pytest.raises(ConfigurationError, match=r"test_data_path: expected .*5"):
        check_data({**config, "test_data_path": 5})
    with pytest.raises(ConfigurationError, match=r"validation_metric: .* got accuracy3"):
        check_data({**config, "trainer": {"validation_metric": "+accuracy3"}})


def test_names_of_files_in_a_directory_count(tmp_path: Path) -> None:
    """Readers of directories choose files by their names."""
    for name in ("a.gold_conll", "b.gold_conll"):
        (tmp_path / name).write_text(name)
    before = content_hash(tmp_path)
    (tmp_path / "b.gold_conll").rename(tmp_path / "b.unused")
    assert content_hash(tmp_path) != before
    (tmp_path / "b.unused").rename(tmp_path / "b.gold_conll")
    assert content_hash(tmp_path) == before


def test_versions_of_the_search_count() -> None:
    one = _outcome(8, 3)
    versions = ("commit a", "commit b-dirty, commit c")
    searched = [replace(one.runs[0], commit=version) for version in versions]
    found = replace(one, searched=searched).commits
    assert found == one.commits | {"commit a", "commit b-dirty", "commit c"}


def test_systems_are_compared_by_the_samples_that_both_are_trained_on() -> None:
    """By sample, one is better by 1 point; samples differ by 10 points."""

    def outcome(rates: list[float], samples: list[int]) -> Outcome:
        one = _outcome(8, 1)
        counts = [[[rate], [1.0]] for rate in rates]
        scored = [replace(one.evaluations[0], counts=columns) for columns in counts]
        return Outcome(one.runs * 3, scored, samples=samples)

    widths = []
    drawn = [1, 2, 3]
    for before, after in ((drawn, drawn), (drawn, [4, 5, 6]), (drawn, []), ([0] * 3, [0] * 3)):
        baseline = outcome([0.4, 0.5, 0.6], before)
        found = difference(baseline, outcome([0.41, 0.51, 0.61], after))
        assert found is not None
        widths.append(found.interval.high - found.interval.low)
    assert widths[0] == pytest.approx(0)
    assert min(widths[1:]) > 10


def test_trainings_that_ended_with_patience_left_are_counted() -> None:
    one = _outcome(8).runs[0]
    by_patience = replace(one, scores=[50.0, 70.0, 60.0, 70.0])
    longest = replace(one, scores=[50.0, 60.0, 70.0, 60.0])
    counts = {
        patience: runs_ended_at_maximum({"a": Outcome([by_patience, longest], patience=patience)})
        for patience in (1, 2, 3, None)
    }
    assert counts == {1: {}, 2: {"a": "1 of 2"}, 3: {"a": "2 of 2"}, None: {"a": "2 of 2"}}


def test_runs_of_settings_that_were_not_chosen_are_counted_apart() -> None:
    chosen, other = (replace(_outcome(8).runs[0], fingerprint=name) for name in "ab")
    outcomes = {"a": Outcome([chosen], patience=9, searched=[chosen, other, other])}
    assert runs_ended_at_maximum(outcomes) == {"a": "1 of 1"}
    assert runs_ended_at_maximum(outcomes, in_search=True) == {"a": "2 of 2"}
