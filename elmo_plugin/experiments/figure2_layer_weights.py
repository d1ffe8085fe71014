"""Figure 2 (section 5.5): the layer weights that task models learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table
from elmo_plugin.weights.learned_mixes import Mix, find_mixes

ARCHIVE_FILE = "model.tar.gz"


class TrainedMix(NamedTuple):
    """A scalar mix of a trained model."""

    run: str
    """Name of the training."""
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

    `Result` : one row per mix, and a heat map.
    """
    found = [mix for source in sources for mix in trained_mixes(source)]
    layers = [f"s_{j}" for j in range(max(len(one.mix.weights) for one in found))]
    padded = [one.mix.weights + [math.nan] * (len(layers) - len(one.mix.weights)) for one in found]
    rows: list[list[Cell]] = [
        [*one[:3], *(None if math.isnan(s) else s for s in weights), one.mix.gamma]
        for one, weights in zip(found, padded)
    ]
    title = "Weights of the biLM's layers"
    columns = ["run", "model", "location", *layers, "gamma"]
    names = [f"{one.run}, {one.location}" for one in found]
    return Result(
        Table(title, columns, rows, digits=3, paper="Figure 2"),
        partial(heat_map, numpy.array(padded), names, layers, title),
    )


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
    name, _, _fingerprint = file.stem.rpartition("-")
    return name, run.model, run.locations, run.mixes


def _from_model(path: Path) -> tuple[str, str, list[str], list[Mix]]:
    name = (path.resolve().parent if path.name == ARCHIVE_FILE else path.resolve()).name
    with open_archive(str(path)) as directory:
        config = read_config(directory)
        mixes = find_mixes(read_state_dict(get_weights_path(directory)))
    return name, config["model"]["type"], mix_locations(config, len(mixes)), mixes
