"""Table 3 (section 5.2): ELMo at the input of a task's encoder, at its output, or at both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparison import Comparison, seed_stats, task_name
from elmo_plugin.reporting.names import metric_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table


def placement(configs: Sequence[str], comparison: Comparison, fraction: float = 1.0) -> Result:
    """
    Score several configurations of a task, which differ in where ELMo is included.

    # Parameters

    configs : `Sequence[str]`
        Paths with distinct file names; the first is the baseline.
    comparison : `Comparison`
    fraction : `float`, optional (default = `1.0`)
        Of the training data.

    # Returns

    `Result` : scores and gains over the baseline.

    # Raises

    `ConfigurationError` : fewer than two configurations, or repeated names.
    """
    names = [Path(config).stem for config in configs]
    if len(set(names)) < len(names) or len(names) < 2:
        raise ConfigurationError(f"CONFIG: expected two or more of different names, got {names}")
    task = task_name(configs[0])
    contents = {name: comparison.read(path) for name, path in zip(names, configs)}
    runs = comparison.train(task, contents, fraction)

    scores = {name: seed_stats(of_config) for name, of_config in runs.items()}
    rows: list[list[Cell]] = [
        [name, score, score.mean - scores[names[0]].mean, runs[name][0].parameters]
        for name, score in scores.items()
    ]
    first = runs[names[0]][0]
    columns = ["configuration", metric_title(first.metric), "gain", "trainable parameters"]
    metadata = comparison.metadata(first)
    return Result(Table(f"Placement: {task_title(task)}", columns, rows, metadata, paper="Table 3"))
