"""`elmo mix`: Figure 2, learned layer weights."""

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Print the weights s_j and gamma of every mix of biLM layers in trained models, and
    draw them as a heat map (Figure 2)."""
EXAMPLE = "elmo mix runs/elmo/model.tar.gz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        type=arguments.path,
        nargs="+",
        metavar="ARCHIVE",
        help="a model.tar.gz, the serialization directory of a training run, or the JSON file of a "
        "finished one in the --runs directory of another command",
    )
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.figure2_layer_weights import layer_weights

    check_out(args, args.sources)
    write_table(args, layer_weights(args.sources))
