"""Rows of systems, of which one is best on development data."""

from __future__ import annotations

import numpy
import pytest

from elmo_plugin.experiments.runner.descriptions import provenance
from elmo_plugin.experiments.runner.outcomes import DIFFERENCE_COLUMNS, Outcome
from elmo_plugin.experiments.runner.run_files import Evaluation, Run
from elmo_plugin.experiments.statistics.significance import compare
from elmo_plugin.experiments.system_tables import VERSUS_BEST, system_columns, system_rows

GENERATOR = numpy.random.default_rng(0)


def outcome(dev: float, test: float, machine: str = "one", weights: str = "") -> Outcome:
    """Two seeds, each with a score on development data and the accuracy of 40 test instances."""
    correct = (GENERATOR.random((2, 40)) < test).astype(float)
    evaluations = [
        Evaluation("f", "d", "h", "accuracy", 0.0, 40, [list(one), [1.0] * 40], "", "commit b")
        for one in correct
    ]
    run = Run(
        *("f", "tagger", "accuracy", [dev], [], [], 1, 9, 9, 3, 60, False, machine, "commit a"),
        bilm_weights=[weights] if weights else [],
    )
    return Outcome([run, run], evaluations)


def test_rows_are_compared_with_the_first_and_with_the_best_on_development_data() -> None:
    systems = {"baseline": outcome(50, 0.4), "a": outcome(70, 0.6), "b": outcome(60, 0.8)}
    columns, rows = system_columns("system", systems), system_rows(systems)
    found = {row[0]: dict(zip(columns, row, strict=True)) for row in rows}
    for other, names in (("baseline", DIFFERENCE_COLUMNS), ("a", VERSUS_BEST)):
        for name in systems:
            cells = [found[name][column] for column in names]
            if name == other:
                assert cells == [None] * 4
                continue
            expected = compare(systems[other].counts, systems[name].counts)  # type: ignore[arg-type]
            assert cells[0] == pytest.approx(expected.gain)
            assert cells[1:] == [expected.interval, expected.p, _answer(expected.is_significant)]


def _answer(is_significant: bool) -> str:
    return "yes" if is_significant else "no"


def test_machines_and_weights_are_those_of_named_systems() -> None:
    systems = {
        "baseline": outcome(50, 0.4),
        "a": outcome(50, 0.4, "two", weights="a" * 64),
        "b": outcome(50, 0.4, "two"),
    }
    found = provenance(systems)
    assert found["Machine"] == {"one": ["baseline"], "two": ["a", "b"]}
    assert list(found.values())[1] == {"a" * 12: ["a"]}
    assert list(found.values())[2] == "commit a, commit b"
    assert provenance({"baseline": systems["baseline"]})["Machine"] == "one"
