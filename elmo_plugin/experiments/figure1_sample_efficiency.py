"""Figure 1 (section 5.4): how much training data and how many updates ELMo saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.changes import with_steps_per_epoch
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.descriptions import SHARED_SETTINGS
from elmo_plugin.experiments.runner.outcomes import (
    DIFFERENCE_COLUMNS,
    Outcome,
    difference_cells,
)
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.runner.training import training_batches
from elmo_plugin.experiments.savings import NAMES, data_saved, updates_saved, with_less_data
from elmo_plugin.experiments.tasks import task_name
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.names import metric_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, SeedStats, Table


def sample_efficiency(
    baseline: str, elmo: str, settings: Settings, fractions: Sequence[float]
) -> Result:
    """
    Score a task with and without ELMo on growing fractions of its training data.

    # Parameters

    baseline, elmo : `str`
        Configurations of a task.
    settings : `Settings`
    fractions : `Sequence[float]`
        Fractions of the training data, ascending.

    # Returns

    `Result` : scores by fraction, and their curves.

    # Raises

    `ConfigurationError` : fractions that are not ascending.
    """
    if sorted(set(fractions)) != list(fractions):
        raise ConfigurationError(f"fractions: expected ascending ones, got {list(fractions)}")
    comparison = _comparison(baseline, elmo, settings)
    finished = [comparison.train(fraction, wait=False) for fraction in fractions]
    outcomes = [found or comparison.train(one) for found, one in zip(finished, fractions)]

    scores = {name: [at_fraction[name].scores for at_fraction in outcomes] for name in NAMES}
    sizes = [at_fraction[NAMES[0]].runs[0].trained_on for at_fraction in outcomes]
    title = f"Sample efficiency: {task_title(comparison.task)}"
    at_fractions = dict(zip(fractions, outcomes))
    metadata = {
        "Data saved": data_saved(fractions, scores),
        "ELMo with less data than the baseline": with_less_data(at_fractions),
        "Updates saved": updates_saved({name: outcomes[-1][name].runs for name in NAMES}),
        **comparison.metadata(
            {
                f"{name}, {fraction:g}": at_fraction[name]
                for fraction, at_fraction in reversed(at_fractions.items())
                for name in NAMES
            }
        ),
    }
    if comparison.protocol.grid:
        chosen_on = f"{100 * comparison.protocol.fraction:g}% of the training data"
        metadata[SHARED_SETTINGS] = f"for all fractions, those chosen with {chosen_on}"
    columns = ["fraction", "trained on", *NAMES, *DIFFERENCE_COLUMNS]
    rows = [_row(*row) for row in zip(fractions, sizes, outcomes)]
    table = Table(title, columns, rows, metadata, paper="Figure 1")
    metric = metric_title(outcomes[0][NAMES[0]].runs[0].metric)
    return Result(table, _figure(sizes, scores, metric, title))


def _row(fraction: float, size: int, outcomes: dict[str, Outcome]) -> list[Cell]:
    before, after = (outcomes[name] for name in NAMES)
    return [fraction, size, before.scores, after.scores, *difference_cells(before, after)]


def _comparison(baseline: str, elmo: str, settings: Settings) -> Comparison:
    task = task_name(elmo)
    systems = {name: System(path) for name, path in zip(NAMES, (baseline, elmo))}
    comparison = Comparison(task, systems, settings)
    if comparison.protocol.schedule is not None:
        return comparison
    # Epochs as long as those on all data, so that patience lasts as many updates.
    seed = comparison.protocol.seeds[0]
    steps = len(training_batches(comparison.configuration(NAMES[0], seed, fraction=1.0)))

    def change(config: Configuration, seed: int) -> Configuration:
        return with_steps_per_epoch(config, steps)

    changed = {name: replace(system, change=change) for name, system in systems.items()}
    return replace(comparison, systems=changed)


def _figure(sizes: list[int], scores: dict[str, list[SeedStats]], metric: str, title: str) -> Any:
    return partial(
        lines,
        {name: (sizes, [score.mean for score in scores[name]]) for name in NAMES},
        "training instances",
        metric,
        title,
        errors={name: [score.sd or 0.0 for score in scores[name]] for name in NAMES},
        logarithmic=True,
    )
