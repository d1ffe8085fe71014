"""The six tasks of Table 1, by the names of their folders in training_configs/."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

PLACEMENTS = ("baseline", "elmo", "elmo_output", "elmo_both")
"""Names of the configurations that differ in where ELMo is included."""


class Task(NamedTuple):
    """A row of Table 1."""

    metric: str
    elmo: str
    """Name of the configuration with ELMo, which says where it is included."""


TASKS = {
    "squad": Task("F1", "elmo_both"),
    "snli": Task("accuracy", "elmo_both"),
    "srl": Task("F1", "elmo"),
    "coref": Task("average F1", "elmo"),
    "ner": Task("F1", "elmo"),
    "sst5": Task("accuracy", "elmo"),
}


def task_path(task: str, name: str) -> str:
    """Return the path of an installed configuration."""
    return f"training_configs/{task}/{name}.jsonnet"


def check_task(name: str) -> None:
    """Raise `ConfigurationError` for an unknown task."""
    if name not in TASKS:
        raise ConfigurationError(f"TASK: expected some of {', '.join(TASKS)}, got {name}")


def baseline_and_elmo(given: Sequence[str]) -> tuple[str, str]:
    """
    Return the paths of a task's configurations without and with ELMo.

    # Parameters

    given : `Sequence[str]`
        The name of a task, or the two paths.

    # Raises

    `ConfigurationError` : something else.
    """
    if len(given) == 2:
        return given[0], given[1]
    if len(given) != 1 or given[0] not in TASKS:
        raise ConfigurationError(
            f"CONFIG: expected a task ({', '.join(TASKS)}), or a configuration without ELMo and "
            f"one with it, got {' '.join(given)}"
        )
    return task_path(given[0], "baseline"), task_path(given[0], TASKS[given[0]].elmo)


def task_name(config: str) -> str:
    """Return the name of the folder that a task's configuration is in."""
    return Path(config).resolve().parent.name
