"""`elmo mix`: how task models weight the biLM's layers (Figure 2)."""

import argparse
import math
from pathlib import Path
from typing import NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import get_weights_path
from allennlp.nn.util import read_state_dict

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_outputs
from elmo_plugin.compat.archives import opened_archive, read_config
from elmo_plugin.experiments.runner.configurations import mix_places
from elmo_plugin.experiments.runner.mixes import Mix, find_mixes
from elmo_plugin.experiments.runner.runs import read_run
from elmo_plugin.reporting.figures import heat_map
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, Table

ARCHIVE_FILE = "model.tar.gz"


DESCRIPTION = """Print the weights s_j and gamma of every mix of biLM layers in trained
    models, and draw the weights of all in one heat map."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        type=arguments.path,
        nargs="+",
        metavar="ARCHIVE",
        help="model.tar.gz, the directory of a training, or the JSON file that a finished one "
        "left in the --runs of another command",
    )
    arguments.add_out_argument(parser)


class _Found(NamedTuple):
    """A mix and whose it is."""

    source: str
    model: str
    place: str
    mix: Mix


def run(args: argparse.Namespace) -> None:
    check_out(args)
    found = [one for source in args.sources for one in trained_mixes(source)]
    layers = [f"s_{j}" for j in range(max(len(one.mix.weights) for one in found))]
    padded = [one.mix.weights + [math.nan] * (len(layers) - len(one.mix.weights)) for one in found]
    rows: list[list[Cell]] = [
        [*one[:3], *(None if math.isnan(s) else s for s in weights), one.mix.gamma]
        for one, weights in zip(found, padded)
    ]
    columns = ["trained", "model", "at the", *layers, "gamma"]
    title = "Weights of the biLM's layers"
    table = Table(title, columns, rows, provenance(), digits=3, paper="Figure 2")
    figure = None
    if args.out:
        names = [f"{one.source}, {one.place}" for one in found]
        figure = heat_map(numpy.array(padded), names, layers, title)
    write_outputs(args.out, table, figure)


def trained_mixes(source: str) -> list[_Found]:
    """
    The mixes of a trained model, of which nothing but its configuration and weights is needed; or
    of a training of which nothing is left but what `Runs` keeps.

    # Raises

    `ConfigurationError` : not a trained model, or one without a mix.
    """
    path = Path(source)
    if path.suffix == ".json":
        run = read_run(path)
        name = path.stem.rpartition("-")[0]  # without the fingerprint
        model, places, mixes = run.model, run.places, run.mixes
    else:
        name = (path.resolve().parent if path.name == ARCHIVE_FILE else path.resolve()).name
        with opened_archive(source) as directory:
            config = read_config(directory)
            mixes = find_mixes(read_state_dict(get_weights_path(directory)))
        model, places = config["model"]["type"], mix_places(config, len(mixes))
    for mix in mixes:
        if not all(map(math.isfinite, (*mix.weights, mix.gamma))):
            raise ConfigurationError(f"{source}: {mix.name}: expected finite numbers, found {mix}")
    if not mixes:
        raise ConfigurationError(
            f"{source}: expected a model with a mix of biLM layers, found a {model} without"
        )
    return [_Found(name, model, place, mix) for place, mix in zip(places, mixes)]
