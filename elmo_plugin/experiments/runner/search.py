"""The search of each system's settings on development data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.runs import Runs


def search(
    runs: Runs,
    grids: Mapping[str, Sequence[Configuration]],
    labels: Mapping[str, str],
    wait: bool = True,
) -> dict[str, Optional[int]]:
    """
    Train all systems with all settings of the grid, and score the best of each on test data.

    # Parameters

    runs : `Runs`
    grids : `Mapping[str, Sequence[Dict[str, Any]]]`
        By system, a configuration for each setting.
    labels : `Mapping[str, str]`
        By system, the prefix of its training runs' names.
    wait : `bool`, optional (default = `True`)
        Wait for training runs of other processes. Without it, leave out systems that they search.

    # Returns

    `Dict[str, int]` : as `best_points` does.

    # Raises

    `ConfigurationError` : systems with the same prefix and other configurations.
    """
    searches = _by_name(grids, labels)
    runs.finish_all(searches, wait=wait)
    points, scored = best_points(runs, grids), None
    while points != scored:
        best = [grids[name][point] for name, point in points.items() if point is not None]
        runs.finish_all({k: v for k, v in searches.items() if v in best}, score=True, wait=wait)
        # A run whose archive was lost is trained again, and may no longer be the best.
        points, scored = best_points(runs, grids), points
    searched = [config for name in points for config in grids[name]]
    for config in [config for config in searched if config not in best]:
        runs.discard_archive(config)
    return points


def _by_name(
    grids: Mapping[str, Sequence[Configuration]], labels: Mapping[str, str]
) -> dict[str, Configuration]:
    found: dict[str, Configuration] = {}
    for system, grid in grids.items():
        for i, config in enumerate(grid):
            name = f"{labels[system]}-search{i}"
            if found.setdefault(name, config) != config:
                raise ConfigurationError(
                    f"{name}: expected one configuration with this name, found two; rename one of "
                    "their files"
                )
    return found


def best_points(
    runs: Runs, grids: Mapping[str, Sequence[Configuration]]
) -> dict[str, Optional[int]]:
    """
    Return the index of the best settings on development data, for each system that is finished with
    all settings; `None` for a system without any.
    """
    points: dict[str, Optional[int]] = {}
    for name, configs in grids.items():
        scores = [run.score for config in configs if (run := runs.find(config)) is not None]
        if len(scores) == len(configs):
            points[name] = scores.index(max(scores)) if scores else None
    return points
