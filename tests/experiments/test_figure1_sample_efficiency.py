"""Savings in data and updates for curves with known answers."""

import numpy
import pytest

from elmo_plugin.experiments.runner.outcomes import Outcome
from elmo_plugin.experiments.runner.run_files import Evaluation
from elmo_plugin.experiments.savings import (
    NAMES,
    data_saved,
    fraction_needed,
    updates_needed,
    with_less_data,
)
from elmo_plugin.experiments.statistics.significance import compare
from elmo_plugin.reporting.tables import SeedStats

FRACTIONS = (0.01, 0.1, 1.0)


def test_curve_shifted_tenfold_needs_a_tenth_of_the_data() -> None:
    def score(fraction: float) -> float:
        return 40 + 10 * float(numpy.log10(fraction))

    better = [score(10 * fraction) for fraction in FRACTIONS]
    assert fraction_needed(FRACTIONS, better, score(1.0)) == pytest.approx(0.1)
    # Halfway between two fractions on the logarithmic scale.
    assert fraction_needed(FRACTIONS, better, score(10 * 0.1**1.5)) == pytest.approx(0.1**1.5)


def test_first_fraction_is_enough_or_none_is() -> None:
    assert fraction_needed(FRACTIONS, [50, 60, 70], 45) == 0.01
    assert fraction_needed(FRACTIONS, [50, 60, 70], 71) is None


@pytest.mark.parametrize(("fraction", "shown"), [(0.001, "0.1%"), (0.01, "1%"), (0.5, "50%")])
def test_small_fractions_are_not_rounded_to_none(fraction: float, shown: str) -> None:
    scores = {name: [SeedStats((50.0,)), SeedStats((50.0,))] for name in NAMES}
    assert f"with at most {shown};" in data_saved((fraction, 1.0), scores)


def test_first_crossing_counts_despite_a_later_dip() -> None:
    assert fraction_needed(FRACTIONS, [50, 40, 70], 50) == 0.01
    assert fraction_needed(FRACTIONS, [40, 30, 70], 50) == pytest.approx(10**-0.5)


def test_updates_are_counted_in_whole_epochs() -> None:
    scores = [10.0, 30.0, 20.0, 40.0]
    assert updates_needed(scores, 7, 30.0) == 14
    assert updates_needed(scores, 7, 30.1) == 28
    assert updates_needed(scores, 7, 40.1) is None


def outcome(correct: list[int]) -> Outcome:
    counts = [list(map(float, correct)), [1.0] * len(correct)]
    rest = {"fingerprint": "", "data": "", "data_hash": "", "machine": "", "commit": ""}
    score = 100 * sum(correct) / len(correct)
    evaluation = Evaluation(
        metric="accuracy", score=score, instances=len(correct), counts=counts, **rest
    )
    return Outcome([], [evaluation])


def test_elmo_is_compared_with_the_baseline_on_more_data() -> None:
    good, bad = outcome([1] * 30 + [0] * 10), outcome([1] * 10 + [0] * 30)
    curve = {0.01: (bad, good), 0.05: (good, bad), 0.1: (bad, bad)}
    found = with_less_data({fraction: dict(zip(NAMES, two)) for fraction, two in curve.items()})
    first, second, third = found.split("; ")
    assert first.startswith("1% against 5%: +0.00 (")
    assert bad.counts is not None and good.counts is not None
    p = compare(bad.counts, good.counts).p
    assert second.startswith("1% against 10%: +50.00 (") and second.endswith(f"p = {p:.4f}")
    assert third.startswith("5% against 10%: +0.00 (")
    assert with_less_data({0.2: dict(zip(NAMES, (bad, good)))}) == "one fraction"
