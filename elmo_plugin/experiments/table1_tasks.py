"""Table 1 (section 4): six tasks with and without ELMo."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparable import check_data
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    bilm_weight_files,
    validation_metric,
)
from elmo_plugin.experiments.runner.descriptions import (
    ENDED_AT_MAXIMUM,
    STATISTICS,
    TRAINING_TIME,
    provenance,
    runs_ended_at_maximum,
    training_hours,
)
from elmo_plugin.experiments.runner.outcomes import DIFFERENCE_COLUMNS, Outcome, difference_cells
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.simple_baselines.task_scores import simple_baselines
from elmo_plugin.experiments.statistics.significance import mean_score
from elmo_plugin.experiments.tasks import TASKS, check_task, task_path
from elmo_plugin.reporting.names import metric_title, placement_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.published_results import published_row
from elmo_plugin.reporting.tables import Cell, Table

_DATA = ("task", "data", "score", "trained on", "chosen on", "part", "scored on", "ELMo placed at")
_NEW = (*DIFFERENCE_COLUMNS, "relative error reduction (%)", "seeds")
_PUBLISHED = ("paper: baseline", "paper: with ELMo", "paper: relative error reduction (%)")
_SYSTEMS = ("best simple baseline", "baseline", "with ELMo")
COLUMNS = (*_DATA, *_SYSTEMS, *_NEW, *_PUBLISHED)
LEFT_OUT = "Tasks left out, whose runs with these settings are incomplete"
_SCORES = (
    "of the best epoch on development data. Both models use the same vectors x_k. The simple "
    "baseline is the best one on test data. The paper's are test scores of mostly larger models on "
    "other or more data, so they are not comparable"
)


def six_tasks(names: Sequence[str], settings: Settings) -> Iterator[Result]:
    """
    Train tasks with and without ELMo.

    # Parameters

    names : `Sequence[str]`
        Names of `TASKS`; all if empty.
    settings : `Settings`

    # Returns

    `Iterator[Result]` : after each task, the table of all tasks that are finished.

    # Raises

    `ConfigurationError` : an unknown task; all tasks are left out.
    """
    for name in names:
        check_task(name)
    comparisons = {name: comparison(name, settings) for name in TASKS}  # the table has all
    _ = [one.protocol for one in comparisons.values()]  # raises before anything is trained
    finished: dict[str, FinishedTask] = {}
    for name in names or TASKS:
        comparisons[name].train()
        for other in _left_out(finished, settings):
            if found := find_task(comparisons[other]):
                finished[other] = found
        if finished:
            yield Result(task_table(finished, settings))
    for name in _left_out(finished, settings):
        print(
            f"{name} is left out: expected all runs with these settings, data and biLM in "
            f"{settings.runs}, found a part of them",
            file=sys.stderr,
        )
    if not finished:
        raise ConfigurationError(f"tasks: expected any of {', '.join(names or TASKS)}, found none")


def comparison(name: str, settings: Settings) -> Comparison:
    """Return the comparison of a task with and without ELMo."""
    configs = ("baseline", TASKS[name])
    return Comparison(name, {c: System(task_path(name, c)) for c in configs}, settings)


class FinishedTask(NamedTuple):
    """A task whose training runs are finished."""

    comparison: Comparison
    outcomes: dict[str, Outcome]
    simple: Optional[str]
    """The best simple baseline, see `best_simple_baseline`."""


def find_task(trained: Comparison) -> Optional[FinishedTask]:
    """
    Return a task if its runs are finished, by committed code unless `draft`, and its data are
    there. Print an error in place of raising it, so that other tasks still have a table.
    """
    name = trained.task
    config = trained.configuration("baseline", trained.protocol.seeds[0])
    try:
        check_data(config)
        if outcomes := trained.find():
            return FinishedTask(trained, outcomes, best_simple_baseline(name, config))
    except (ValueError, ConfigurationError) as error:  # such as code that was not committed
        print(f"{name} is left out: {error}", file=sys.stderr)
    return None


def task_table(finished: Mapping[str, FinishedTask], settings: Settings) -> Table:
    """Return the table of finished tasks, in the order of the paper."""
    rows, bilms, chosen = [], {}, {}
    by_name: dict[str, Outcome] = {}
    for name in [name for name in TASKS if name in finished]:
        trained, found, simple = finished[name]
        shown = {"baseline": "baseline", TASKS[name]: "ELMo"}
        config = trained.configuration(TASKS[name], trained.protocol.seeds[0])
        metric = metric_title(validation_metric(config))
        rows.append(row(name, found, trained.data, metric, simple))
        bilms[task_title(name)] = ", ".join(bilm_weight_files(config))
        if trained.protocol.grid:
            chosen[task_title(name)] = {shown[key]: one.setting for key, one in found.items()}
        by_name |= {f"{task_title(name)}, {shown[key]}": one for key, one in found.items()}
    outcomes = by_name.values()
    metadata = {
        "Scores": _SCORES,
        "Statistics": STATISTICS,
        LEFT_OUT: ", ".join(map(task_title, _left_out(finished, settings))) or "none",
        "biLM": bilms,
        "Chosen on development data": chosen or "nothing",
        "Overrides": settings.overrides,
        "Task overrides": settings.task_overrides or "none",
        TRAINING_TIME: training_hours(outcomes),
        ENDED_AT_MAXIMUM: runs_ended_at_maximum(by_name) or "none",
        **provenance(by_name),
    }
    subject = "The six tasks" if len(finished) == len(TASKS) else ", ".join(bilms)
    return Table(f"{subject} with and without ELMo", COLUMNS, rows, metadata, paper="Table 1")


def _left_out(finished: Mapping[str, FinishedTask], settings: Settings) -> list[str]:
    """Return the tasks of which there are runs, but not all with these settings, data and biLM."""
    runs = Path(settings.runs)
    return [name for name in TASKS if name not in finished and any(runs.glob(f"{name}-*.json"))]


def best_simple_baseline(name: str, config: Configuration) -> Optional[str]:
    """Return the highest test score of a task's simple baselines, with the baseline's name."""
    if config.get("test_data_path") is None:
        return None
    scores = {key: mean_score(one) for key, one in simple_baselines(name, config).counts.items()}
    best = max(scores, key=scores.__getitem__, default=None)
    return None if best is None else f"{scores[best]:.2f} ({best})"


def row(
    name: str, outcomes: dict[str, Outcome], data: str, metric: str, simple: Optional[str]
) -> list[Cell]:
    """Return the row of a task."""
    baseline, elmo = outcomes["baseline"], outcomes[TASKS[name]]
    published_before, published_after, _ = published_row("Table 1", task_title(name))
    return [
        task_title(name),
        data,
        metric,
        baseline.runs[0].trained_on,
        baseline.runs[0].scored_on,
        baseline.part,
        baseline.scored_on,
        placement_title(TASKS[name]),
        simple,
        baseline.scores,
        elmo.scores,
        *difference_cells(baseline, elmo),
        relative_error_reduction(baseline.scores.mean, elmo.scores.mean),
        len(baseline.runs),
        published_before,
        published_after,
        relative_error_reduction(published_before, published_after),
    ]


def relative_error_reduction(before: float, after: float) -> Optional[float]:
    """
    Return the percentage of errors that disappear between two scores in percent; `None` if there
    were no errors.
    """
    return None if before == 100 else 100 * (after - before) / (100 - before)
