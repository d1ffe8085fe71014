"""Table 3 (section 5.2): ELMo at the input of a task's encoder, at its output, or at both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.descriptions import SHARED_SETTINGS
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.system_tables import system_columns, system_rows
from elmo_plugin.experiments.tasks import (
    PLACEMENTS,
    TASKS,
    check_task_overrides,
    task_name,
    task_path,
)
from elmo_plugin.reporting.names import placement_title, task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Table


def placement(configs: Sequence[str], settings: Settings) -> Result:
    """
    Score several configurations of a task, which differ in where ELMo is included.

    # Parameters

    configs : `Sequence[str]`
        Paths with distinct file names, of which the first is the baseline; or the name of a task,
        for all of its configurations. Those with ELMo then have the settings that the search of
        Table 1 chooses; given as paths, each has its own search.
    settings : `Settings`

    # Returns

    `Result` : scores and gains over the baseline.

    # Raises

    `ConfigurationError` : fewer than two configurations, or repeated names.
    """
    searched = None
    if len(configs) == 1 and configs[0] in TASKS:
        searched = System(task_path(configs[0], TASKS[configs[0]]))
        configs = [task_path(configs[0], name) for name in PLACEMENTS]
    names = [Path(config).stem for config in configs]
    if len(set(names)) < len(names) or len(names) < 2:
        raise ConfigurationError(f"CONFIG: expected two or more of different names, got {names}")
    task = task_name(configs[0])
    check_task_overrides(configs[0], settings)
    baseline, *others = zip(names, configs)
    systems = {name: System(path, searched=searched) for name, path in others}
    systems = {baseline[0]: System(baseline[1]), **systems}
    comparison = Comparison(task, systems, settings)
    outcomes = {placement_title(name): one for name, one in comparison.train().items()}
    columns, rows = system_columns("configuration", outcomes), system_rows(outcomes)
    metadata = comparison.metadata(outcomes)
    if searched is not None and comparison.protocol.grid:
        metadata[SHARED_SETTINGS] = f"all with ELMo: {placement_title(TASKS[task])}"
    return Result(Table(f"Placement: {task_title(task)}", columns, rows, metadata, paper="Table 3"))
