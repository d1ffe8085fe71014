"""`elmo mix`: how task models weight the biLM's layers (Figure 2)."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.models.archival import CONFIG_NAME, extracted_archive, get_weights_path

from elmo_plugin.analysis.figures import heat_map
from elmo_plugin.analysis.mixes import find_mixes
from elmo_plugin.analysis.provenance import provenance
from elmo_plugin.analysis.tables import Table
from elmo_plugin.commands.outputs import add_out_argument, check_out, write_outputs

OUTPUT_ENCODER = "elmo_output"
ARCHIVE_FILE = "model.tar.gz"


@Subcommand.register("mix")
class MixCommand(Subcommand):
    """Registered as a `Subcommand` with name "mix"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = """Print the weights s_j and gamma of every mix of biLM layers in trained
            models, and draw the weights of all in one heat map."""
        subparser = parser.add_parser(
            self.name, description=description, help="Print what models weight the layers with."
        )
        subparser.add_argument(
            "archives",
            nargs="+",
            metavar="ARCHIVE",
            help="model.tar.gz, or the directory of a training",
        )
        add_out_argument(subparser)
        subparser.set_defaults(func=_mix)
        return subparser


def _mix(args: argparse.Namespace) -> None:
    check_out(args.out)
    mixes = [mix for archive in args.archives for mix in archive_mixes(archive)]
    layers = max(len(weights) for *_, weights, _ in mixes)
    columns = ["archive", "model", "at the", *(f"s_{j}" for j in range(layers)), "gamma"]
    padded = [weights + [float("nan")] * (layers - len(weights)) for *_, weights, _ in mixes]
    rows = [
        [*names, *(None if numpy.isnan(s) else s for s in weights), gamma]
        for (*names, _, gamma), weights in zip(mixes, padded)
    ]
    facts = {"Archives": args.archives, **provenance()}
    table = Table("Weights of the biLM's layers", columns, rows, facts, digits=3, paper="Figure 2")
    figure = None
    if args.out:
        names = [f"{archive}, {place}" for archive, _, place, _, _ in mixes]
        figure = heat_map(numpy.array(padded), names, columns[3:-1], table.title)
    write_outputs(args.out, table, figure)


def archive_mixes(archive: str) -> list[tuple[str, str, str, list[float], float]]:
    """
    The mixes of a trained model, of which nothing but its configuration and weights is needed.

    # Returns

    `List[Tuple]` : the archive's name, the model's type, "input" or "output", s_j, gamma.

    # Raises

    `ConfigurationError` : not a trained model, or one without a mix.
    """
    with _directory(archive) as directory:
        config = Params.from_file(os.path.join(directory, CONFIG_NAME)).as_dict(quiet=True)
        state = torch.load(get_weights_path(directory), map_location="cpu", weights_only=True)
    mixes = find_mixes(state)
    if not mixes:
        raise ConfigurationError(
            f"{archive}: expected a model with a mix of biLM layers, found a "
            f"{config['model']['type']} without"
        )
    places = ["input"] * len(mixes)
    if OUTPUT_ENCODER in _types(config["model"]):
        places[-1] = "output"
    path = Path(archive)
    name = path.resolve().parent.name if path.name == ARCHIVE_FILE else path.resolve().name
    return [
        (name, config["model"]["type"], place, mix.weights, mix.gamma)
        for place, mix in zip(places, mixes)
    ]


@contextmanager
def _directory(archive: str) -> Iterator[str]:
    """Where an archive's files lie, unpacked for as long as the block runs."""
    path = cached_path(archive)
    if not os.path.isdir(path):
        with extracted_archive(path) as unpacked:
            yield unpacked
    elif os.path.isfile(os.path.join(path, CONFIG_NAME)):
        yield str(path)
    else:
        raise ConfigurationError(f"{archive}: expected {CONFIG_NAME} of a training, found none")


def _types(params: Any) -> set[str]:
    """Every `type` anywhere in a configuration."""
    if isinstance(params, dict):
        own = {params["type"]} if isinstance(params.get("type"), str) else set[str]()
        return own.union(*map(_types, params.values()))
    return set[str]().union(*map(_types, params)) if isinstance(params, list) else set()
