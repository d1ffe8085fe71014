"""`elmo placement`: Table 3, ELMo at the input or output of a task's encoder."""

import argparse

from elmo_plugin.commands import arguments, comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Train a task model with each of several configurations that differ in where ELMo
    is included. Print the scores and the gains over the first (Table 3)."""
EXAMPLE = "elmo placement snli --seeds 1 2 3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "configs",
        type=arguments.path,
        nargs="+",
        metavar="TASK_OR_CONFIG",
        help="squad, snli, srl, coref, ner or sst5; or configurations of one task, first the one "
        "without ELMo",
    )
    comparison_arguments.add_fraction_argument(parser)
    comparison_arguments.add_comparison_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table3_placement import placement

    check_out(args, [*args.configs, args.task_overrides])
    result = placement(args.configs, comparison_arguments.settings(args))
    write_table(args, result)
