"""Figure 2 (section 5.5): the layer weights that task models learned."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import get_weights_path
from allennlp.nn.util import read_state_dict

from elmo_plugin.compat.safety.archive_files import open_archive, read_config
from elmo_plugin.experiments.runner.configurations import mix_locations
from elmo_plugin.experiments.runner.run_files import read_run
from elmo_plugin.reporting.figures import heat_map
from elmo_plugin.reporting.names import task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, SeedStats, Table
from elmo_plugin.weights.learned_mixes import Mix, find_mixes

ARCHIVE_FILE = "model.tar.gz"


class TrainedMix(NamedTuple):
    """A scalar mix of a trained model."""

    name: str
    """Name of the training, without its seed."""
    model: str
    """Registered type."""
    location: str
    """"input" or "output" of the task's encoder."""
    mix: Mix


def layer_weights(sources: Sequence[str]) -> Result:
    """
    Read the weights s_j and gamma of every scalar mix in trained models.

    # Parameters

    sources : `Sequence[str]`
        See `trained_mixes`.

    # Returns

    `Result` : one row per configuration and location, averaged over seeds, and a heat map.
    """
    groups: dict[tuple[str, str, str], list[Mix]] = {}
    for one in (mix for source in sources for mix in trained_mixes(source)):
        groups.setdefault(one[:3], []).append(one.mix)
    size = max(len(mix.weights) for mixes in groups.values() for mix in mixes)
    means = [numpy.mean([_padded(mix.weights, size) for mix in g], 0) for g in groups.values()]
    rows: list[list[Cell]] = [
        [*names, len(mixes), *_weights(mixes, size), SeedStats(tuple(m.gamma for m in mixes))]
        for names, mixes in groups.items()
    ]
    title = "Weights of the biLM's layers"
    columns = ["trained model", "type", "location", "seeds"]
    columns += [*(f"s_{j}" for j in range(size)), "gamma"]
    return Result(
        Table(title, columns, rows, digits=3, paper="Figure 2"),
        partial(
            heat_map,
            numpy.array(means),
            _labels(groups),
            [f"layer {j}" for j in range(size)],
            "weight",
            title,
        ),
    )


def _labels(groups: Iterable[tuple[str, str, str]]) -> list[str]:
    """Name rows by task and location, and by configuration where a task has several."""
    full = [f"{name}, {location}" for name, _, location in groups]
    short = [f"{name.partition(',')[0]}, {location}" for name, _, location in groups]
    return short if len(set(short)) == len(short) else full


def _padded(weights: list[float], size: int) -> list[float]:
    return weights + [math.nan] * (size - len(weights))


def _weights(mixes: Sequence[Mix], size: int) -> list[Cell]:
    """Each layer's weight over the seeds; `None` for layers that the biLM does not have."""
    by_layer = zip(*(mix.weights for mix in mixes))
    found: list[Cell] = [SeedStats(values) for values in by_layer]
    return found + [None] * (size - len(found))


def trained_mixes(source: str) -> list[TrainedMix]:
    """
    Read the scalar mixes of one model.

    # Parameters

    source : `str`
        A model.tar.gz, the directory of a training, of which only the configuration and the weights
        are needed, or the JSON file of a finished run.

    # Raises

    `ConfigurationError` : not a trained model, no mix in it, or values that are not finite.
    """
    path = Path(source)
    name, model, locations, mixes = _from_run(path) if path.suffix == ".json" else _from_model(path)
    for mix in mixes:
        if not all(map(math.isfinite, (*mix.weights, mix.gamma))):
            raise ConfigurationError(f"{source}: {mix.name}: expected finite numbers, found {mix}")
    if not mixes:
        raise ConfigurationError(
            f"{source}: expected a model with a mix of biLM layers, found {model} without one"
        )
    return [TrainedMix(name, model, location, mix) for location, mix in zip(locations, mixes)]


def _from_run(file: Path) -> tuple[str, str, list[str], list[Mix]]:
    run = read_run(file)
    # As in ner-elmo-1-238ceba38eb8: task, configuration, seed, fingerprint.
    *parts, _fingerprint = file.stem.split("-")
    # A seed, or the setting of a search.
    if parts[-1].removeprefix("search").isdigit():
        parts.pop()
    name = ", ".join(filter(None, [task_title(parts[0]), "-".join(parts[1:])]))
    return name, run.model, run.locations, run.mixes


def _from_model(path: Path) -> tuple[str, str, list[str], list[Mix]]:
    name = (path.resolve().parent if path.name == ARCHIVE_FILE else path.resolve()).name
    with open_archive(str(path)) as directory:
        config = read_config(directory)
        mixes = find_mixes(read_state_dict(get_weights_path(directory)))
    return name, config["model"]["type"], mix_locations(config, len(mixes)), mixes
