"""Figure 2 (section 5.5): the layer weights that task models learned."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import get_weights_path
from allennlp.nn.util import read_state_dict

from elmo_plugin.compat.safety.archive_files import open_archive, read_config
from elmo_plugin.experiments.runner.configurations import mix_locations, numbered_locations
from elmo_plugin.experiments.runner.run_files import read_run
from elmo_plugin.experiments.runner.run_names import RUN_NAME, check_same_settings
from elmo_plugin.reporting.figures import heat_map
from elmo_plugin.reporting.names import task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, SeedStats, Table
from elmo_plugin.weights.learned_mixes import Mix, find_mixes

ARCHIVE_FILE = "model.tar.gz"
_TOLERANCE = 1e-3  # of weights in half precision


class TrainedMix(NamedTuple):
    """A scalar mix of a trained model."""

    name: str
    """Name of the training, without its seed."""
    model: str
    """Registered type."""
    location: str
    """"input" or "output" of the task's encoder; numbered where several mixes are at one."""
    mix: Mix


def layer_weights(sources: Sequence[str]) -> Result:
    """
    Read the weights s_j and gamma of every scalar mix in trained models.

    # Parameters

    sources : `Sequence[str]`
        See `trained_mixes`.

    # Returns

    `Result` : one row per configuration and location, averaged over seeds, and a heat map.

    # Raises

    `ConfigurationError` : see `trained_mixes`; the same model or seed twice, several settings of a
    search, or seeds with other layers.
    """
    if len({Path(source).resolve() for source in sources}) < len(sources):
        raise ConfigurationError(f"expected each model once, got {' '.join(sources)}")
    check_same_settings(Path(source) for source in sources if _is_record(source))
    groups: dict[tuple[str, str, str], list[Mix]] = {}
    for one in _with_distinct_names({source: trained_mixes(source) for source in sources}):
        groups.setdefault(one[:3], []).append(one.mix)
    for names, mixes in groups.items():
        sizes = sorted({len(mix.weights) for mix in mixes})
        if len(sizes) > 1:
            raise ConfigurationError(
                f"{', '.join(names)}: expected as many layers for all seeds, found {sizes}"
            )
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


def _with_distinct_names(found: Mapping[str, list[TrainedMix]]) -> Iterator[TrainedMix]:
    """
    Name models by their paths where two have the same name. Only records of runs tell which
    models differ in nothing but the seed.
    """
    models = [one[0].name for source, one in found.items() if not _is_record(source)]
    for source, mixes in found.items():
        ambiguous = not _is_record(source) and models.count(mixes[0].name) > 1
        yield from (mix._replace(name=source) if ambiguous else mix for mix in mixes)


def _is_record(source: str) -> bool:
    return Path(source).suffix == ".json"


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
        A model.tar.gz, the serialization directory of a training run, of which only the
        configuration and the weights are needed, or the JSON file of a finished run.

    # Raises

    `ConfigurationError` : not a trained model, no mix in it, weights that are not positive or do
    not sum to 1, or a gamma that is not finite.
    """
    path = Path(source)
    name, model, locations, mixes = _from_run(path) if _is_record(source) else _from_model(path)
    for mix in mixes:
        if not all(map(math.isfinite, (*mix.weights, mix.gamma))):
            raise ConfigurationError(f"{source}: {mix.name}: expected finite numbers, found {mix}")
        if min(mix.weights) < 0 or abs(sum(mix.weights) - 1) > _TOLERANCE:
            raise ConfigurationError(
                f"{source}: {mix.name}: expected weights of layers that sum to 1, found "
                f"{mix.weights}"
            )
    if not mixes:
        raise ConfigurationError(
            f"{source}: expected a model with a mix of biLM layers, found {model} without one"
        )
    return [
        TrainedMix(name, model, location, mix)
        for location, mix in zip(numbered_locations(locations), mixes)
    ]


def _from_run(file: Path) -> tuple[str, str, list[str], list[Mix]]:
    run = read_run(file)
    # As in ner-elmo-1-238ceba38eb8: task, configuration, seed, fingerprint.
    parts = RUN_NAME.fullmatch(file.stem)
    name = file.stem
    if parts is not None:
        name = ", ".join(filter(None, [task_title(parts["task"]), parts["configuration"]]))
    return name, run.model, run.locations, run.mixes


def _from_model(path: Path) -> tuple[str, str, list[str], list[Mix]]:
    name = (path.resolve().parent if path.name == ARCHIVE_FILE else path.resolve()).name
    with open_archive(str(path)) as directory:
        config = read_config(directory)
        mixes = find_mixes(read_state_dict(get_weights_path(directory)))
    return name, config["model"]["type"], mix_locations(config, len(mixes)), mixes
