"""`elmo layers`: Table 2, layer weighting."""

import argparse

from elmo_plugin.commands import comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Train a task model without ELMo, with the biLM's last layer only (not normalized),
    with all layers under a strong and under a weak penalty on their weights, and with gamma fixed.
    Print the scores and draw the weights (Table 2)."""
EXAMPLE = "elmo layers ner --seeds 1 2 3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    comparison_arguments.add_task_arguments(parser)
    comparison_arguments.add_fraction_argument(parser)
    parser.add_argument(
        "--systems",
        nargs="+",
        metavar="NAME",
        help="variants to compare, beside the baseline and 'all, lambda = 0.001', by their names "
        "in the table: 'last only', 'last only, gamma = 1', 'all, lambda = 1' or 'all, lambda = "
        "0.001, gamma = 1' (default: all)",
    )
    comparison_arguments.add_comparison_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table2_layer_weighting import layer_weighting
    from elmo_plugin.experiments.tasks import baseline_and_elmo

    check_out(args, [*args.configs, args.task_overrides])
    settings = comparison_arguments.settings(args)
    configs = baseline_and_elmo(args.configs, settings)
    write_table(args, layer_weighting(*configs, settings, args.systems))
