"""Scores of simple baselines, which a task model's baseline has to exceed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Optional

import numpy
from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparable import has_test_data
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import Configuration, validation_metric
from elmo_plugin.experiments.runner.descriptions import STATISTICS
from elmo_plugin.experiments.runner.outcomes import DIFFERENCE_COLUMNS, Outcome, format_difference
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.simple_baselines.task_scores import simple_baselines
from elmo_plugin.experiments.statistics.significance import (
    bootstrap_interval,
    compare,
    mean_score,
)
from elmo_plugin.experiments.tasks import TASKS, check_task, task_path
from elmo_plugin.reporting.names import metric_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.provenance import TRAINED_BY
from elmo_plugin.reporting.tables import Cell, Table

_GAINS = tuple(f"model's baseline vs. this: {name}" for name in DIFFERENCE_COLUMNS)
COLUMNS = (
    *("task", "data", "simple baseline", "score", "test score", "95% CI", "scored on"),
    *_GAINS,
)


def simple_scores(names: Sequence[str], settings: Settings) -> Result:
    """
    Score the simple baselines of tasks on test data, and compare the task model's baseline with
    them if its training runs are finished.

    # Parameters

    names : `Sequence[str]`
        If empty, all whose test data are there.
    settings : `Settings`

    # Raises

    `ConfigurationError` : another task, or no test data.
    """
    for name in names:
        check_task(name)
    found = [_rows(name, settings) for name in dict.fromkeys(names) or _with_test_data(settings)]
    rows = [row for of_task, _ in found for row in of_task]
    metadata = {
        "Statistics": STATISTICS,
        "Overrides": settings.overrides,
        "Task overrides": settings.task_overrides or "none",
        TRAINED_BY: ", ".join(sorted({commit for _, commits in found for commit in commits}))
        or "no finished training of a task's baseline",
    }
    return Result(Table("Simple baselines", COLUMNS, rows, metadata))


def _with_test_data(settings: Settings) -> list[str]:
    """Return the tasks whose test data are there, and name the others on standard error."""
    found = []
    for task in TASKS:
        _, config = _baseline(task, settings)
        if has_test_data(config):
            found.append(task)
        else:
            path = config.get("test_data_path")
            print(f"{task} is left out: expected test data, found {path}", file=sys.stderr)
    if not found:
        raise ConfigurationError("paths: expected test data of a task, found none")
    return found


def _baseline(task: str, settings: Settings) -> tuple[Comparison, Configuration]:
    comparison = Comparison(task, {"baseline": System(task_path(task, "baseline"))}, settings)
    return comparison, comparison.configuration("baseline", comparison.protocol.seeds[0])


def _rows(task: str, settings: Settings) -> tuple[list[list[Cell]], set[str]]:
    """Return the rows of a task, and the commits that trained and scored its model."""
    comparison, config = _baseline(task, settings)
    model = comparison.find().get("baseline")
    commits = set[str]() if model is None else model.commits
    simple = simple_baselines(task, config)
    metric = metric_title(validation_metric(config))
    rows: list[list[Cell]] = [
        [
            *(task_title(task), comparison.data, name, metric, mean_score(counts)),
            *(bootstrap_interval(counts), simple.instances),
            *_gain(counts, model),
        ]
        for name, counts in simple.counts.items()
    ]
    return rows, commits


def _gain(simple: numpy.ndarray, model: Optional[Outcome]) -> list[Cell]:
    if model is None or model.counts is None:
        return [None] * len(_GAINS)
    return format_difference(compare(simple, model.counts), len(model.runs))
