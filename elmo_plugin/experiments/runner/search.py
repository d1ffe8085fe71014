"""The search of each system's settings on development data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.runs import Runs


def search(
    runs: Runs, grids: Mapping[str, Sequence[Configuration]], labels: Mapping[str, str]
) -> dict[str, Optional[int]]:
    """
    Train all systems with all settings of the grid, and score the best of each on test data.

    # Parameters

    runs : `Runs`
    grids : `Mapping[str, Sequence[Dict[str, Any]]]`
        By system, a configuration for each setting.
    labels : `Mapping[str, str]`
        By system, the prefix of its training runs' names.

    # Returns

    `Dict[str, int]` : as `best_points` does.
    """
    searches = {
        f"{labels[name]}-search{i}": config
        for name, grid in grids.items()
        for i, config in enumerate(grid)
    }
    runs.finish_all(searches)
    points, scored = best_points(runs, grids), None
    while points != scored:
        best = [grids[name][point] for name, point in points.items() if point is not None]
        runs.finish_all({k: v for k, v in searches.items() if v in best}, score=True)
        # A run whose archive was lost is trained again, and may no longer be the best.
        points, scored = best_points(runs, grids), points
    for config in [config for config in searches.values() if config not in best]:
        runs.discard_archive(config)
    return points


def best_points(
    runs: Runs, grids: Mapping[str, Sequence[Configuration]]
) -> dict[str, Optional[int]]:
    """
    Return the index of each system's best settings on development data; `None` without any.
    """
    points: dict[str, Optional[int]] = {}
    for name, configs in grids.items():
        scores = [run.score for config in configs if (run := runs.find(config)) is not None]
        points[name] = scores.index(max(scores)) if scores else None
    return points
