"""The JSON files of a finished training run and of its score on test data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Union

import numpy
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.json_text import read_json
from elmo_plugin.experiments.statistics.scores import check_counts, score
from elmo_plugin.weights.learned_mixes import Mix

TOLERANCE = 1e-6
"""Tolerance of scores in percent, since their counts are summed in another order."""


@dataclass(frozen=True)
class Run:
    """The outcome of a training run. Scores are the validation metric in percent."""

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
    bilm_weights: list[str] = field(default_factory=list)
    """SHA-256 of the files that ELMo's weights come from; empty in records of earlier versions."""

    @property
    def score(self) -> float:
        return max(self.scores)

    @property
    def best_epoch(self) -> int:
        """Counted from 1."""
        return self.scores.index(self.score) + 1


@dataclass(frozen=True)
class Evaluation:
    """The score of one trained model on test data."""

    fingerprint: str
    """The training's, see `Run`."""
    data: str
    """Path of the test data."""
    data_hash: str
    """Hash of the test data's content."""
    metric: str
    score: float
    """In percent."""
    instances: int
    """Number of test instances."""
    counts: list[list[float]]
    """Columns of counts, see `statistics.scores`, one number per text; see `shared_texts`."""
    machine: str
    commit: str

    @property
    def array(self) -> numpy.ndarray:
        """The counts. Shape (texts, columns)."""
        return numpy.array(self.counts, dtype=float).T


def write_record(record: Union[Run, Evaluation], file: Path) -> None:
    """Write a record so that `read_run` or `read_evaluation` returns it, with a line per field."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in asdict(record).items()]
    with atomic_write(file) as temporary:
        temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n")


@configuration_errors()
def read_run(file: Path) -> Run:
    """
    Read the file of a finished training run.

    # Raises

    `ConfigurationError` : another file; names the field, the expected type and the value.
    """
    content = _read(file, Run, "a finished training run")
    mixes, locations = len(content["mixes"]), len(content["locations"])
    if mixes != locations:
        raise ConfigurationError(
            f"{file}: expected as many locations as mixes, found {locations} and {mixes}"
        )
    _check_percentages(file, "scores", content["scores"])
    return Run(**{**content, "mixes": [Mix(*mix) for mix in content["mixes"]]})


@configuration_errors()
def read_evaluation(file: Path) -> Evaluation:
    """
    Read the file of a training run's score on test data; raises as `read_run` does.
    """
    content = _read(file, Evaluation, "a score on test data")
    if len(lengths := {len(column) for column in content["counts"]}) > 1:
        raise ConfigurationError(
            f"{file}: expected columns of counts of equal lengths, found {sorted(lengths)}"
        )
    evaluation = Evaluation(**content)
    try:
        check_counts(evaluation.array)
        with numpy.errstate(over="ignore", invalid="ignore"):  # then the score is NaN
            found = score(evaluation.array.sum(0))
    except ValueError as error:
        raise ConfigurationError(f"{file}: {error}") from error
    _check_percentages(file, "score", [evaluation.score])
    if not abs(found - evaluation.score) <= TOLERANCE:  # or NaN
        raise ConfigurationError(
            f"{file}: score: expected that of its counts, {found:.6f}, found {evaluation.score}"
        )
    return evaluation


def _read(file: Path, kind: type[Union[Run, Evaluation]], name: str) -> dict[str, Any]:
    content = read_json(file)
    found = {}
    for one in fields(kind):
        default = None if one.default_factory is MISSING else one.default_factory()
        value = content.get(one.name, default) if isinstance(content, dict) else content
        if not _IS_TYPE[one.type](value):
            raise ConfigurationError(
                f"{file}: expected {name} as a command with --runs writes it, with {one.name} of "
                f"type {one.type}, found {value!r:.80}"
            )
        found[one.name] = value
    return found


def _check_percentages(file: Path, name: str, values: list[float]) -> None:
    for value in values:
        if not -TOLERANCE <= value <= 100 + TOLERANCE:
            raise ConfigurationError(f"{file}: expected {name} from 0 to 100, found {value}")


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
    "float": _is_number,
    "list[list[float]]": lambda value: (
        isinstance(value, list) and bool(value) and all(map(_are_numbers, value))
    ),
    "int": lambda value: type(value) is int and 0 <= value < 2**63,
    "bool": lambda value: isinstance(value, bool),
    "list[float]": _are_numbers,
    "list[str]": lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    "list[Mix]": lambda value: isinstance(value, list) and all(map(_is_mix, value)),
}
