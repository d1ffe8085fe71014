"""The settings that commands give to all comparisons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple, Optional

from elmo_plugin.experiments.runner.configurations import evaluate, import_of


class Settings(NamedTuple):
    """
    The settings of all tasks.

    # Parameters

    overrides : `str`, optional (default = `"{}"`)
        Jsonnet that extends every configuration.
    task_overrides : `str`, optional
        A Jsonnet file with an object per task that extends its configurations, and with it their
        `Protocol`.
    runs : `str`, optional (default = `"runs/experiments"`)
        The directory of `Runs`.
    seeds, fraction : optional
        Instead of those of the protocol.
    draft : `bool`, optional (default = `False`)
        Allow code with changes that are not committed.
    """

    overrides: str = "{}"
    task_overrides: Optional[str] = None
    runs: str = "runs/experiments"
    seeds: Optional[Sequence[int]] = None
    fraction: Optional[float] = None
    draft: bool = False

    def overrides_of(self, task: str) -> str:
        """Return the Jsonnet that extends the configurations of a task."""
        if self.task_overrides is None:
            return self.overrides
        file = import_of(self.task_overrides)
        return f"({self.overrides}) + std.get({file}, {json.dumps(task)}, {{}})"

    def overridden_tasks(self) -> Optional[list[str]]:
        """Return the names of the tasks in the file of `task_overrides`; `None` without a file."""
        if self.task_overrides is None:
            return None
        snippet = f"std.objectFieldsAll({import_of(self.task_overrides)})"
        names: list[str] = evaluate(snippet, self.task_overrides)
        return names
