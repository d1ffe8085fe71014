"""Figure 1 (section 5.4): how much training data and how many updates ELMo saves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.changes import with_steps_per_epoch
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.outcomes import DIFFERENCE_COLUMNS, Outcome, difference_cells
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.experiments.runner.runs import training_batches
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.tasks import task_name
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.names import metric_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

NAMES = ("baseline", "ELMo")
FRACTIONS = (0.01, 0.05, 0.1, 0.5, 1.0)


def sample_efficiency(
    baseline: str, elmo: str, settings: Settings, fractions: Sequence[float] = FRACTIONS
) -> Result:
    """
    Score a task without and with ELMo on growing fractions of its training data.

    # Parameters

    baseline, elmo : `str`
        Configurations of a task.
    settings : `Settings`
    fractions : `Sequence[float]`, optional (default = `(0.01, 0.05, 0.1, 0.5, 1.0)`)
        Of the training data, ascending.

    # Returns

    `Result` : scores by fraction, and their curves.

    # Raises

    `ConfigurationError` : fractions that are not ascending.
    """
    if sorted(set(fractions)) != list(fractions):
        raise ConfigurationError(f"fractions: expected ascending ones, got {list(fractions)}")
    comparison = _comparison(baseline, elmo, settings)
    outcomes = [comparison.train(fraction) for fraction in fractions]

    scores = {name: [at_fraction[name].scores for at_fraction in outcomes] for name in NAMES}
    sizes = [at_fraction[NAMES[0]].runs[0].trained_on for at_fraction in outcomes]
    title = f"Sample efficiency: {task_title(comparison.task)}"
    metadata = {
        "Data saved": data_saved(fractions, scores),
        "Updates saved": updates_saved({name: outcomes[-1][name].runs for name in NAMES}),
        **comparison.metadata(outcomes[-1]),
    }
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
    whole = Comparison(task, {NAMES[0]: System(baseline)}, settings)
    # Epochs as long as those on all data, so that patience lasts as many updates.
    steps = len(training_batches(whole.configuration(NAMES[0], whole.protocol.seeds[0])))

    def change(config: Configuration, seed: int) -> Configuration:
        return with_steps_per_epoch(config, steps)

    paths = zip(NAMES, (baseline, elmo))
    return Comparison(task, {name: System(path, change=change) for name, path in paths}, settings)


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


def data_saved(fractions: Sequence[float], scores: dict[str, list[SeedStats]]) -> str:
    """State the fraction with which ELMo reaches the baseline's score on the largest one."""
    baseline, elmo = ([score.mean for score in scores[name]] for name in NAMES)
    target = baseline[-1]
    needed = fraction_needed(fractions, elmo, target)
    if needed is None:
        return f"with ELMo, no fraction reaches the baseline's {target:.2f}"
    at_most = "at most " if needed == fractions[0] else ""
    return (
        f"with ELMo, {at_most}{100 * needed:.1f} % of the data give the {target:.2f} that the "
        f"baseline reaches with {100 * fractions[-1]:g} %"
    )


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
    Return the number of updates after which a training first reaches `target`.

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
