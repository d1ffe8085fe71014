"""Table 2 (section 5.1): all layers or only the last one, and how strongly to regularize them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Optional

import numpy

from elmo_plugin.experiments.runner.changes import with_elmo, with_last_layer_only, with_penalty
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import Configuration, numbered_locations
from elmo_plugin.experiments.runner.outcomes import Outcome
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import Change, System, choose_systems
from elmo_plugin.experiments.system_tables import system_columns, system_rows
from elmo_plugin.experiments.tasks import task_name
from elmo_plugin.reporting.figures import heat_map
from elmo_plugin.reporting.names import task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Table

PENALTIES = (1.0, 0.001)  # lambda in the paper
BASELINE, LAST, FIXED = "baseline", "last only", ", gamma = 1"
STRONG, WEAK = (f"all, lambda = {penalty:g}" for penalty in PENALTIES)


def layer_weighting(
    baseline: str, elmo: str, settings: Settings, names: Optional[Sequence[str]] = None
) -> Result:
    """
    Score a task without ELMo, with the biLM's last layer, not normalized (see
    `with_last_layer_only`), and with all layers under each penalty; both kinds also with gamma
    fixed at 1, for which the supplement of the paper (A.2) says that training with the last layer
    suffers.

    # Parameters

    baseline, elmo : `str`
        Configurations of a task.
    settings : `Settings`
    names : `Sequence[str]`, optional
        Only these variants, the baseline and all layers under the weak penalty; by default, all.

    # Returns

    `Result` : scores by variant, and a heat map of the learned weights.

    # Raises

    `ConfigurationError` : unknown `names`.
    """
    task, known = task_name(elmo), variants(baseline, elmo)
    chosen = choose_systems([*known], names, always=(BASELINE, WEAK))
    comparison = Comparison(task, {name: known[name] for name in chosen}, settings)
    outcomes = comparison.train()
    title = f"Layer weighting: {task_title(task)}"
    columns, rows = system_columns("layers", outcomes), system_rows(outcomes)
    table = Table(title, columns, rows, comparison.metadata(outcomes), paper="Table 2")

    weights = mean_weights(outcomes)
    labels = [f"layer {j}" for j in range(len(next(iter(weights.values()))))]
    values = numpy.array(list(weights.values()))
    return Result(table, partial(heat_map, values, list(weights), labels, "weight", title))


def variants(baseline: str, elmo: str) -> dict[str, System]:
    """
    Return the four rows of Table 2, and two with a fixed gamma. Those with ELMo have the settings
    that the search of the unchanged configuration chooses.
    """

    def changed(change: Change) -> System:
        return System(elmo, change=change, searched=System(elmo))

    strong, weak = PENALTIES
    return {
        BASELINE: System(baseline),
        LAST: changed(lambda config, seed: with_last_layer_only(config)),
        f"{LAST}{FIXED}": changed(lambda config, seed: _fixed(with_last_layer_only(config))),
        STRONG: changed(lambda config, seed: with_penalty(config, strong)),
        WEAK: changed(lambda config, seed: with_penalty(config, weak)),
        f"{WEAK}{FIXED}": changed(lambda config, seed: _fixed(with_penalty(config, weak))),
    }


def _fixed(config: Configuration) -> Configuration:
    return with_elmo(config, train_gamma=False)


def mean_weights(outcomes: dict[str, Outcome]) -> dict[str, numpy.ndarray]:
    """Return the layer weights of each learned mix, averaged over the seeds."""
    weights: dict[str, numpy.ndarray] = {}
    for name in (name for name in outcomes if name.startswith("all")):
        runs = outcomes[name].runs
        locations = numbered_locations(runs[0].locations)
        for location, *mixes in zip(locations, *(run.mixes for run in runs)):
            label = f"{name}, {location}" if len(locations) > 1 else name
            weights[label] = numpy.mean([mix.weights for mix in mixes], axis=0)
    return weights
