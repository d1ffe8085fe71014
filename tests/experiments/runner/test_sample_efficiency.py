"""What is saved, where the answer is known."""

import numpy
import pytest

from elmo_plugin.experiments.runner.sample_efficiency import share_needed, updates_needed

SHARES = (0.01, 0.1, 1.0)


def test_a_curve_ten_times_as_good_needs_a_tenth() -> None:
    def score(share: float) -> float:
        return 40 + 10 * float(numpy.log10(share))

    better = [score(10 * share) for share in SHARES]
    assert share_needed(SHARES, better, score(1.0)) == pytest.approx(0.1)
    # Halfway between two shares on the logarithm.
    assert share_needed(SHARES, better, score(10 * 0.1**1.5)) == pytest.approx(0.1**1.5)


def test_the_first_share_may_be_enough_and_none_may_be() -> None:
    assert share_needed(SHARES, [50, 60, 70], 45) == 0.01
    assert share_needed(SHARES, [50, 60, 70], 71) is None


def test_a_dip_on_the_way_does_not_count() -> None:
    assert share_needed(SHARES, [50, 40, 70], 50) == 0.01
    assert share_needed(SHARES, [40, 30, 70], 50) == pytest.approx(10**-0.5)


def test_updates_are_those_of_whole_epochs() -> None:
    scores = [10.0, 30.0, 20.0, 40.0]
    assert updates_needed(scores, 7, 30.0) == 14
    assert updates_needed(scores, 7, 30.1) == 28
    assert updates_needed(scores, 7, 40.1) is None
