"""`elmo simple-baselines`: scores that a task's neural baseline has to exceed."""

import argparse

from elmo_plugin.commands import comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Print the test scores of simple baselines, trained on the same data as the task
    models: for SNLI and SST-5, the most frequent class and logistic regression on bags of words
    (for SNLI also of the hypothesis alone); for NER and SRL, logistic regression on single tokens;
    for NER also the names of the training data; for SQuAD and coreference, untrained rules. Compare
    the task model's baseline with them if `elmo tasks` has trained it."""
EXAMPLE = "elmo simple-baselines snli sst5 --overrides \"import 'my-paths.libsonnet'\""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks",
        nargs="*",
        metavar="TASK",
        help="one of the six tasks; or none for all with test data",
    )
    comparison_arguments.add_settings_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.simple_scores import simple_scores

    check_out(args, [args.task_overrides])
    result = simple_scores(args.tasks, comparison_arguments.settings(args))
    write_table(args, result)
