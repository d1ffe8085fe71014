"""Statements about the data and updates that ELMo saves (section 5.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Optional

from elmo_plugin.experiments.runner.outcomes import Outcome, difference
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.reporting.tables import SeedStats

NAMES = ("baseline", "ELMo")


def data_saved(fractions: Sequence[float], scores: dict[str, list[SeedStats]]) -> str:
    """State the fraction with which ELMo reaches the baseline's score on the largest one."""
    baseline, elmo = ([score.mean for score in scores[name]] for name in NAMES)
    target = baseline[-1]
    needed = fraction_needed(fractions, elmo, target)
    if needed is None:
        return f"ELMo reaches the baseline's mean score, {target:.2f}, on no fraction"
    percent = 100 * needed
    shown = f"{percent:.0f}%" if percent >= 1 else f"{percent:.1g}%"
    if needed == fractions[0]:
        shown = f"at most {shown}"
    else:
        shown = f"{shown}, by interpolation over the logarithm of the fraction"
    return (
        f"ELMo reaches the baseline's mean score on {100 * fractions[-1]:g}% of the data, "
        f"{target:.2f}, with {shown}; not tested"
    )


def with_less_data(outcomes: Mapping[float, dict[str, Outcome]]) -> str:
    """Compare ELMo on each fraction with the baseline on each larger one."""
    found = [
        f"{100 * small:g}% against {100 * large:g}%: "
        + _described(outcomes[large][NAMES[0]], outcomes[small][NAMES[1]])
        for small, large in combinations(sorted(outcomes), 2)
    ]
    return "; ".join(found) or "one fraction"


def _described(baseline: Outcome, elmo: Outcome) -> str:
    found = difference(baseline, elmo)
    return f"{elmo.scores.mean - baseline.scores.mean:+.2f}" if found is None else str(found)


def updates_saved(runs: Mapping[str, Sequence[Run]]) -> str:
    """
    State, by seed, the updates until the best score of that seed's baseline on development data.
    """
    pairs = list(zip(*(runs[name] for name in NAMES)))
    baseline = [run.best_epoch * run.steps_per_epoch for run, _ in pairs]
    elmo = [
        updates_needed(with_elmo.scores, with_elmo.steps_per_epoch, run.score)
        for run, with_elmo in pairs
    ]
    return (
        f"to the baseline's best score with {pairs[0][0].trained_on:,} instances, the baseline "
        f"takes {_numbers(baseline)} updates and ELMo {_numbers(elmo)}, by seed"
    )


def _numbers(updates: Sequence[Optional[int]]) -> str:
    return ", ".join("more than it was given" if n is None else f"{n:,}" for n in updates)


def fraction_needed(
    fractions: Sequence[float], scores: Sequence[float], target: float
) -> float | None:
    """
    Return the smallest fraction of the training data whose score reaches `target`.

    # Parameters

    fractions : `Sequence[float]`
        Ascending.
    scores : `Sequence[float]`
        One per fraction. Between two, interpolated linearly over the fraction's logarithm.
    target : `float`

    # Returns

    `float` : the first fraction if it is enough; `None` if none is.
    """
    before: tuple[float, float] | None = None
    for fraction, score in zip(fractions, scores):
        if score >= target:
            if before is None:
                return fraction
            part = (target - before[1]) / (score - before[1])
            return math.exp((1 - part) * math.log(before[0]) + part * math.log(fraction))
        before = (fraction, score)
    return None


def updates_needed(scores: Sequence[float], steps_per_epoch: int, target: float) -> int | None:
    """
    Return the number of updates after which a training run first reaches `target`.

    # Parameters

    scores : `Sequence[float]`
        One per epoch.
    steps_per_epoch : `int`
    target : `float`

    # Returns

    `int` : updates of whole epochs; `None` if it is never reached.
    """
    for epoch, score in enumerate(scores, start=1):
        if score >= target:
            return epoch * steps_per_epoch
    return None
