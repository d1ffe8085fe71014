"""Savings in data and updates for curves with known answers."""

import numpy
import pytest

from elmo_plugin.experiments.figure1_sample_efficiency import fraction_needed, updates_needed

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


def test_first_crossing_counts_despite_a_later_dip() -> None:
    assert fraction_needed(FRACTIONS, [50, 40, 70], 50) == 0.01
    assert fraction_needed(FRACTIONS, [40, 30, 70], 50) == pytest.approx(10**-0.5)


def test_updates_are_counted_in_whole_epochs() -> None:
    scores = [10.0, 30.0, 20.0, 40.0]
    assert updates_needed(scores, 7, 30.0) == 14
    assert updates_needed(scores, 7, 30.1) == 28
    assert updates_needed(scores, 7, 40.1) is None
