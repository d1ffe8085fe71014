"""`elmo simple-baselines`: scores that a task's neural baseline has to exceed."""

import argparse

from elmo_plugin.commands import comparison_arguments
from elmo_plugin.commands.outputs import check_out

DESCRIPTION = """Print the test scores of simple baselines, trained on the same data as the task
    models: the most frequent class, logistic regression on bags of words (for SNLI also of the
    hypothesis alone), and untrained rules for the answers of SQuAD. Compare the task model's
    baseline with them if `elmo tasks` has trained it."""
EXAMPLE = "elmo simple-baselines snli sst5 --overrides \"import 'my-paths.libsonnet'\""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help="squad, snli or sst5; or none for all with data"
    )
    comparison_arguments.add_settings_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.simple_scores import simple_scores
    from elmo_plugin.reporting.outputs import write_result

    check_out(args)
    result = simple_scores(args.tasks, comparison_arguments.settings(args))
    write_result(args.out, result, args.json)
