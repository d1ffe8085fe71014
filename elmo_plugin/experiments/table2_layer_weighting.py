"""Table 2 (section 5.1): all layers or only the last one, and how strongly to regularize them."""

from __future__ import annotations

from functools import partial

import numpy

from elmo_plugin.experiments.runner.comparison import Comparison, seed_stats, task_name
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    with_last_layer_only,
    with_penalty,
)
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.reporting.figures import heat_map
from elmo_plugin.reporting.names import metric_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

PENALTIES = (1.0, 0.001)  # lambda in the paper


def layer_weighting(
    baseline: str, elmo: str, comparison: Comparison, fraction: float = 1.0
) -> Result:
    """
    Score a task without ELMo, with the biLM's last layer, and with all layers under each penalty.

    # Parameters

    baseline, elmo : `str`
        Configurations of a task.
    comparison : `Comparison`
    fraction : `float`, optional (default = `1.0`)
        Of the training data.

    # Returns

    `Result` : scores by variant, and a heat map of the learned weights.
    """
    task = task_name(elmo)
    configs = variants(comparison.read(baseline), comparison.read(elmo))
    runs = comparison.train(task, configs, fraction)

    scores = {name: seed_stats(of_variant) for name, of_variant in runs.items()}
    rows: list[list[Cell]] = [
        [name, score, score.mean - scores["baseline"].mean] for name, score in scores.items()
    ]
    first = runs["baseline"][0]
    title = f"Layer weighting: {task_title(task)}"
    columns = ["layers", metric_title(first.metric), "gain"]
    table = Table(title, columns, rows, comparison.metadata(first), paper="Table 2")

    weights = mean_weights(runs)
    labels = [f"layer {j}" for j in range(len(next(iter(weights.values()))))]
    values = numpy.array(list(weights.values()))
    return Result(table, partial(heat_map, values, list(weights), labels, "weight", title))


def variants(baseline: Configuration, elmo: Configuration) -> dict[str, Configuration]:
    """Return the four rows of Table 2."""
    return {
        "baseline": baseline,
        "last only": with_last_layer_only(elmo),
        **{f"all, lambda = {penalty:g}": with_penalty(elmo, penalty) for penalty in PENALTIES},
    }


def mean_weights(runs: dict[str, list[Run]]) -> dict[str, numpy.ndarray]:
    """Return the layer weights of each learned mix, averaged over the seeds."""
    weights: dict[str, numpy.ndarray] = {}
    for name in list(runs)[-len(PENALTIES) :]:
        locations = runs[name][0].locations
        for location, *mixes in zip(locations, *(run.mixes for run in runs[name])):
            label = f"{name}, {location}" if len(locations) > 1 else name
            weights[label] = numpy.mean([mix.weights for mix in mixes], axis=0)
    return weights
