"""Scores of simple baselines, which a task model's baseline has to exceed."""

from __future__ import annotations

from collections.abc import Sequence

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.simple_baselines.task_scores import TASKS as SIMPLE_TASKS
from elmo_plugin.experiments.simple_baselines.task_scores import simple_baselines
from elmo_plugin.experiments.statistics.significance import bootstrap_interval, mean_score
from elmo_plugin.experiments.tasks import TASKS, task_path
from elmo_plugin.reporting.names import task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

COLUMNS = ("task", "data", "simple baseline", "score", "test score", "95 % interval", "scored on")


def simple_scores(names: Sequence[str], settings: Settings) -> Result:
    """
    Score the simple baselines of tasks on test data.

    # Parameters

    names : `Sequence[str]`
        Of squad, snli and sst5; all if empty.
    settings : `Settings`

    # Raises

    `ConfigurationError` : another task, or no test data.
    """
    unknown = sorted(set(names) - set(SIMPLE_TASKS))
    if unknown:
        raise ConfigurationError(
            f"TASK: expected some of {', '.join(SIMPLE_TASKS)}, got {', '.join(unknown)}"
        )
    rows = [row for name in names or SIMPLE_TASKS for row in _rows(name, settings)]
    metadata = {"Overrides": settings.overrides, "Task overrides": settings.task_overrides}
    return Result(Table("Simple baselines", COLUMNS, rows, metadata))


def _rows(task: str, settings: Settings) -> list[list[Cell]]:
    comparison = Comparison(task, {"baseline": System(task_path(task, "baseline"))}, settings)
    config = comparison.configuration("baseline", comparison.protocol.seeds[0])
    data = comparison.protocol.data or config["train_data_path"]
    return [
        [
            *(task_title(task), data, name, TASKS[task].metric, mean_score(counts)),
            *(str(bootstrap_interval(counts)), counts.shape[1]),
        ]
        for name, counts in simple_baselines(task, config).items()
    ]
