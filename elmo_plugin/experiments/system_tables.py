"""Tables with one row per system of a comparison, of which the first is the baseline."""

from __future__ import annotations

from collections.abc import Mapping

from elmo_plugin.experiments.runner.outcomes import (
    DIFFERENCE_COLUMNS,
    Outcome,
    difference_cells,
)
from elmo_plugin.reporting.names import metric_title
from elmo_plugin.reporting.tables import Cell

VERSUS_BEST = tuple(
    f"vs. the best on development data: {name}"
    for name in ("difference", "95% CI", "p", "significant")
)
PARAMETERS = "trainable parameters (first seed)"


def system_columns(first: str, outcomes: Mapping[str, Outcome]) -> list[str]:
    """Return the names of the columns of `system_rows`."""
    metric = metric_title(next(iter(outcomes.values())).runs[0].metric)
    return [first, metric, "95% CI", *DIFFERENCE_COLUMNS, *VERSUS_BEST, PARAMETERS]


def system_rows(outcomes: Mapping[str, Outcome]) -> list[list[Cell]]:
    """
    Return name, scores, their interval, the difference from the first system, that from the one
    that is best on development data, and the number of trainable parameters.
    """
    first = next(iter(outcomes.values()))
    best = max(outcomes.values(), key=_development_score)
    return [
        [
            name,
            one.scores,
            one.interval,
            *_difference(first, one),
            *_difference(best, one),
            one.runs[0].parameters,
        ]
        for name, one in outcomes.items()
    ]


def _development_score(outcome: Outcome) -> float:
    return sum(run.score for run in outcome.runs) / len(outcome.runs)


def _difference(other: Outcome, one: Outcome) -> list[Cell]:
    return [None] * len(DIFFERENCE_COLUMNS) if one is other else difference_cells(other, one)
