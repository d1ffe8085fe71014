"""The JSON file of a finished training."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.json_text import read_json
from elmo_plugin.weights.learned_mixes import Mix


@dataclass(frozen=True)
class Run:
    """The outcome of a training. Scores are the validation metric in percent."""

    fingerprint: str
    """Hash of the configuration and of the files that it names."""
    model: str
    """Registered type."""
    metric: str
    scores: list[float]
    """One per epoch."""
    mixes: list[Mix]
    """Layer weights of the best epoch's model."""
    locations: list[str]
    """"input" or "output", one per mix."""
    steps_per_epoch: int
    trained_on: int
    """Number of training instances."""
    scored_on: int
    """Number of validation instances."""
    parameters: int
    """Number of trainable parameters."""
    seconds: int
    resumed: bool
    """True if it was interrupted; `seconds` then counts from the last start."""
    machine: str
    commit: str

    @property
    def score(self) -> float:
        return max(self.scores)

    @property
    def best_epoch(self) -> int:
        """Counted from 1."""
        return self.scores.index(self.score) + 1


def write_run(run: Run, file: Path) -> None:
    """Write a run so that `read_run` returns it."""
    with atomic_write(file) as temporary:
        temporary.write_text(json.dumps(asdict(run), default=tuple, indent=1) + "\n")


@configuration_errors()
def read_run(file: Path) -> Run:
    """
    Read what `write_run` wrote.

    # Raises

    `ConfigurationError` : another file; names the field, the expected type and the value.
    """
    content = read_json(file)
    for field in fields(Run):
        value = content.get(field.name) if isinstance(content, dict) else content
        if not _IS_TYPE[field.type](value):
            raise ConfigurationError(
                f"{file}: expected a finished training as `elmo layers --runs` writes it, with "
                f"{field.name} of type {field.type}, found {value!r:.80}"
            )
    mixes, locations = len(content["mixes"]), len(content["locations"])
    if mixes != locations:
        raise ConfigurationError(
            f"{file}: expected as many locations as mixes, found {locations} and {mixes}"
        )
    run = {field.name: content[field.name] for field in fields(Run)}
    return Run(**{**run, "mixes": [Mix(*mix) for mix in content["mixes"]]})


def _is_number(value: Any) -> bool:
    # An int in JSON may be too large for a float.
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_number, value))


def _is_mix(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != len(Mix._fields):
        return False
    name, weights, gamma = value
    return isinstance(name, str) and _are_numbers(weights) and _is_number(gamma)


# By the annotations of `Run`'s fields, checks of a value that was read from JSON.
_IS_TYPE: dict[Any, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: type(value) is int,
    "bool": lambda value: isinstance(value, bool),
    "list[float]": _are_numbers,
    "list[str]": lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    "list[Mix]": lambda value: isinstance(value, list) and all(map(_is_mix, value)),
}
