"""How the training runs of a task are chosen: hidden fields of its configurations."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import evaluate_configuration

DEFAULT_SEEDS = (1, 2, 3)
# `std.get` also finds hidden fields. What is no object is refused as a configuration, later.
_FIELDS = """
    local get(object, key, default) =
        if std.isObject(object) then std.get(object, key, default) else default;
    local grid = get(config, 'grid', []);
    local are_objects = std.isArray(grid) && std.all(std.map(std.isObject, grid));
    {
        data: get(get(get(config, 'paths', {}), %s, {}), 'name', null),
        seeds: get(config, 'seeds', null),
        fraction: get(config, 'fraction', 1),
        schedule: get(config, 'schedule', null),
        grid: if are_objects
            then [std.get(point, 'label', std.toString(point)) for point in grid]
            else std.toString(grid),
    }
"""


class Schedule(NamedTuple):
    """A training run's length, in updates; see `with_schedule`."""

    interval: int
    patience: int
    updates: int


@dataclass(frozen=True)
class Protocol:
    """
    The same for all configurations that are compared.

    # Parameters

    data : `str`, optional
        Name of the dataset, the hidden field `name` of a task in `paths`.
    seeds : `Sequence[int]`, optional (default = `(1, 2, 3)`)
        One training each, with the chosen settings.
    fraction : `float`, optional (default = `1`)
        Fraction of the training data.
    schedule : `Schedule`, optional
        If `None`, epochs and patience are those of the configuration.
    grid : `List[str]`, optional (default = `[]`)
        Names of the settings to search, the fields `label` of the objects in the hidden field
        `grid`. Each system is trained with each of them and the first seed; the one with the best
        score on development data is used with all seeds.
    """

    data: Optional[str] = None
    seeds: tuple[int, ...] = DEFAULT_SEEDS
    fraction: float = 1.0
    schedule: Optional[Schedule] = None
    grid: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(set(self.seeds)) < len(self.seeds) or not self.seeds:
            raise ConfigurationError(f"seeds: expected distinct ones, got {list(self.seeds)}")


def read_protocol(path: str, overrides: str, task: str) -> Protocol:
    """
    Read the hidden fields `seeds`, `fraction`, `schedule`, `grid` and `paths` (of which the task's
    `name`) of a configuration.

    # Raises

    `ConfigurationError` : a field of another form; names it and the task.
    """
    found = evaluate_configuration(path, overrides, _FIELDS % json.dumps(task))
    try:
        return _protocol(found)
    except ConfigurationError as error:
        raise ConfigurationError(f"{task}: {error.message}") from error


def _protocol(found: dict[str, Any]) -> Protocol:
    seeds, fraction = found["seeds"], found["fraction"]
    if seeds is not None and not _are_integers(seeds, 0):
        raise ConfigurationError(f"seeds: expected a list of integers, found {seeds!r:.80}")
    if type(fraction) not in (int, float) or not 0 < fraction <= 1:
        raise ConfigurationError(
            f"fraction: expected a number above 0 and at most 1, found {fraction!r:.80}"
        )
    data, grid = found["data"], found["grid"]
    if data is not None and not isinstance(data, str):
        raise ConfigurationError(f"paths: name: expected a string, found {data!r:.80}")
    if not isinstance(grid, list) or not all(isinstance(label, str) for label in grid):
        raise ConfigurationError(
            f"grid: expected objects whose labels are strings, found {grid!r:.80}"
        )
    return Protocol(
        data,
        DEFAULT_SEEDS if seeds is None else tuple(seeds),
        fraction,
        _schedule(found["schedule"]),
        grid,
    )


def _schedule(value: Any) -> Optional[Schedule]:
    if value is None:
        return None
    keys = set(Schedule._fields)
    if not isinstance(value, dict) or set(value) != keys or not _are_integers([*value.values()], 1):
        raise ConfigurationError(
            f"schedule: expected numbers of updates for {', '.join(Schedule._fields)}, found "
            f"{value!r:.80}"
        )
    return Schedule(**value)


def _are_integers(values: Any, minimum: int) -> bool:
    return isinstance(values, list) and all(type(v) is int and v >= minimum for v in values)
