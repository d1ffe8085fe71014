"""The six tasks of Table 1, by the names of their folders in training_configs/."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.configuration_objects import ELMO_EMBEDDERS, elmo_embedders
from elmo_plugin.experiments.runner.configurations import read_configuration
from elmo_plugin.experiments.runner.settings import Settings

PLACEMENTS = ("baseline", "elmo", "elmo_output", "elmo_both")
"""Names of the configurations that differ in where ELMo is included."""


TASKS = {
    "squad": "elmo_both",
    "snli": "elmo_both",
    "srl": "elmo",
    "coref": "elmo",
    "ner": "elmo",
    "sst5": "elmo",
}
"""For each task, the name of its configuration with ELMo, which says where ELMo is included."""


def task_path(task: str, name: str) -> str:
    """Return the path of an installed configuration."""
    return f"training_configs/{task}/{name}.jsonnet"


def check_task(name: str) -> None:
    """Raise `ConfigurationError` for an unknown task."""
    if name not in TASKS:
        raise ConfigurationError(f"TASK: expected some of {', '.join(TASKS)}, got {name}")


def baseline_and_elmo(given: Sequence[str], settings: Settings) -> tuple[str, str]:
    """
    Return the paths of a task's configurations without and with ELMo.

    # Parameters

    given : `Sequence[str]`
        The name of a task, or the two paths.
    settings : `Settings`

    # Raises

    `ConfigurationError` : something else; ELMo in the first, or none in the second.
    """
    if len(given) == 2:
        for path, expected in zip(given, (False, True)):
            _check_elmo(path, expected, settings)
        return given[0], given[1]
    if len(given) != 1 or given[0] not in TASKS:
        raise ConfigurationError(
            f"CONFIG: expected a task ({', '.join(TASKS)}), or a configuration without ELMo and "
            f"one with it, got {' '.join(given)}"
        )
    return task_path(given[0], "baseline"), task_path(given[0], TASKS[given[0]])


def check_task_overrides(path: str, settings: Settings) -> None:
    """
    Raise `ConfigurationError` if the task overrides do not apply to a user's own configuration.
    """
    task, names = task_name(path), settings.overridden_tasks()
    if names is not None and task not in {*names, *TASKS}:
        raise ConfigurationError(
            f"--task-overrides {settings.task_overrides}: expected an object {task!r}, which is "
            f"the directory of {path}, found {', '.join(names) or 'none'}"
        )


def _check_elmo(path: str, expected: bool, settings: Settings) -> None:
    check_task_overrides(path, settings)
    config = read_configuration(path, settings.overrides_of(task_name(path)))
    embedders = elmo_embedders(config["model"])
    if bool(embedders) != expected:
        raise ConfigurationError(
            f"CONFIG {path}: expected a configuration {'with' if expected else 'without'} ELMo, "
            f"found {len(embedders)} embedders of type {' or '.join(ELMO_EMBEDDERS)}"
        )


def task_name(config: str) -> str:
    """Return the name of the directory that a task's configuration is in."""
    return Path(config).resolve().parent.name
