"""`elmo curve`: Figure 1, sample efficiency."""

import argparse

from elmo_plugin.commands import arguments, comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Train a task model with and without ELMo on growing fractions of the training data,
    with the same number of updates per epoch. Print and draw the scores, and say with how much data
    and how many updates ELMo reaches the baseline's best score (Figure 1)."""
EXAMPLE = "elmo curve srl --fractions 0.01 0.05 0.1 0.5 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    comparison_arguments.add_task_arguments(parser)
    parser.add_argument(
        "--fractions",
        type=arguments.fraction,
        nargs="+",
        default=[0.01, 0.05, 0.1, 0.5, 1.0],
        help="fractions of the training data, ascending",
    )
    comparison_arguments.add_comparison_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.figure1_sample_efficiency import sample_efficiency
    from elmo_plugin.experiments.tasks import baseline_and_elmo

    check_out(args, [*args.configs, args.task_overrides])
    settings = comparison_arguments.settings(args)
    configs = baseline_and_elmo(args.configs, settings)
    result = sample_efficiency(*configs, settings, args.fractions)
    write_table(args, result)
