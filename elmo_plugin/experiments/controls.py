"""A task's systems on one scale: simple baselines, the baseline, controls, and ELMo."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

import numpy

from elmo_plugin.experiments.runner.changes import with_elmo
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import evaluate_configuration
from elmo_plugin.experiments.runner.model_sizes import hidden_size_matching_elmo
from elmo_plugin.experiments.runner.outcomes import (
    DIFFERENCE_COLUMNS,
    Outcome,
    difference_cells,
    format_difference,
)
from elmo_plugin.experiments.runner.random_bilm import with_random_bilm
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System, choose_systems
from elmo_plugin.experiments.simple_baselines.task_scores import simple_baselines
from elmo_plugin.experiments.statistics.significance import (
    bootstrap_interval,
    compare,
    mean_score,
)
from elmo_plugin.experiments.system_tables import PARAMETERS
from elmo_plugin.experiments.tasks import task_name
from elmo_plugin.reporting.names import metric_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

BASELINE, ELMO = "baseline", "ELMo"
LAYER_0, RANDOM = "ELMo, token layer only", "ELMo, random biLM with standardized token layer"
WIDE = "baseline with at least ELMo's number of parameters"
_GAINS = tuple(f"ELMo vs. this system: {name}" for name in DIFFERENCE_COLUMNS)


def controls(
    baseline: str, elmo: str, settings: Settings, names: Optional[Sequence[str]] = None
) -> Result:
    """
    Score a task's simple baselines, its baseline, a wider baseline, ELMo of an untrained biLM and
    of the token layer alone, other biLMs, and ELMo, all under the same protocol.

    # Parameters

    baseline, elmo : `str`
        Configurations of a task. Other biLMs are in their hidden field `other_bilms`, an object of
        values of `bilm` by name.
    settings : `Settings`
    names : `Sequence[str]`, optional
        Only these systems, the baseline and ELMo; by default, all.

    # Returns

    `Result` : scores, and by how much ELMo exceeds each.

    # Raises

    `ConfigurationError` : unknown `names`.
    """
    task = task_name(elmo)
    chosen = systems(task, baseline, elmo, settings, names)
    comparison = Comparison(task, chosen, settings)
    outcomes = comparison.train()
    config = comparison.configuration(BASELINE, comparison.protocol.seeds[0])
    has_test = config.get("test_data_path") is not None
    simple = simple_baselines(task, config).counts if has_test else {}
    elmo_outcome = outcomes[ELMO]
    rows = [_simple_row(name, counts, elmo_outcome) for name, counts in simple.items()]
    rows += [_row(name, outcome, elmo_outcome) for name, outcome in outcomes.items()]
    metric = metric_title(elmo_outcome.runs[0].metric)
    columns = ("system", metric, "95% CI", *_GAINS, PARAMETERS)
    title = f"Controls: {task_title(task)}"
    return Result(Table(title, columns, rows, comparison.metadata(outcomes)))


def systems(
    task: str,
    baseline: str,
    elmo: str,
    settings: Settings,
    names: Optional[Sequence[str]] = None,
) -> Mapping[str, System]:
    """Return the systems to train by name; parameters as in `controls`."""
    overrides = settings.overrides_of(task)
    other_bilms = evaluate_configuration(
        elmo, overrides, "std.objectFields(std.get(config, 'other_bilms', {}))"
    )
    others = {
        f"ELMo, {name}": System(elmo, f"{{ bilm:: self.other_bilms[{json.dumps(name)}] }}")
        for name in other_bilms
    }
    known = [BASELINE, WIDE, RANDOM, LAYER_0, *others, ELMO]
    chosen = choose_systems(known, names, always=(BASELINE, ELMO))
    folder = Path(settings.runs)
    found = {
        BASELINE: System(baseline),
        RANDOM: System(elmo, change=lambda config, seed: with_random_bilm(config, folder, seed)),
        LAYER_0: System(elmo, change=lambda config, seed: with_elmo(config, mix=0)),
        **others,
        ELMO: System(elmo),
    }
    if WIDE in chosen:  # To find its size, the training data are read.
        hidden = hidden_size_matching_elmo(baseline, elmo, overrides)
        found[WIDE] = System(baseline, f"{{ sizes+:: {{ hidden: {hidden} }} }}")
    return {name: found[name] for name in chosen}


def _row(name: str, outcome: Outcome, elmo: Outcome) -> list[Cell]:
    differences: list[Cell] = [None] * len(DIFFERENCE_COLUMNS)
    if outcome is not elmo:
        differences = difference_cells(outcome, elmo)
    return [
        name,
        outcome.scores,
        outcome.interval,
        *differences,
        outcome.runs[0].parameters,
    ]


def _simple_row(name: str, counts: numpy.ndarray, elmo: Outcome) -> list[Cell]:
    assert elmo.counts is not None
    found = format_difference(compare(counts, elmo.counts), len(elmo.runs))
    return [name, mean_score(counts), bootstrap_interval(counts), *found, None]
