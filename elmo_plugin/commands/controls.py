"""`elmo controls`: what else could explain a task's gain."""

import argparse

from elmo_plugin.commands import comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Train a task model in several variants: without ELMo; without ELMo but with at
    least as many trainable parameters; with ELMo from an untrained biLM with a
    standardized token layer, from the token layer alone, and from other biLMs that the
    configuration names; and with ELMo. Print their scores beside those of simple baselines, and
    ELMo's gain over each."""
EXAMPLE = "elmo controls ner --seeds 1 2 3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    comparison_arguments.add_task_arguments(parser)
    comparison_arguments.add_fraction_argument(parser)
    parser.add_argument(
        "--systems",
        nargs="+",
        metavar="NAME",
        help="systems to compare, beside the baseline and ELMo, by their names in the table: "
        "'ELMo, random biLM with standardized token layer', 'ELMo, token layer only', \"baseline "
        "with at least ELMo's number of parameters\", or 'ELMo, NAME' for a biLM of other_bilms "
        "(default: all)",
    )
    comparison_arguments.add_comparison_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.controls import controls
    from elmo_plugin.experiments.tasks import baseline_and_elmo

    check_out(args, [*args.configs, args.task_overrides])
    settings = comparison_arguments.settings(args)
    configs = baseline_and_elmo(args.configs, settings)
    write_table(args, controls(*configs, settings, args.systems))
