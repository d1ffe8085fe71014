"""`elmo tasks`: Table 1, the six tasks."""

import argparse

from elmo_plugin.commands import comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Train each of six tasks with and without ELMo, choose the best epoch on
    development data, score it on test data, and after each task print a table of all that are
    finished, beside the paper's scores (Table 1 of Peters et al. 2018). All six tasks on public
    datasets take a day or more on two cores; without --overrides, the data are the small generated
    files in fixtures/."""
EXAMPLE = "elmo tasks ner sst5 --out runs/tasks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks",
        nargs="*",
        metavar="TASK",
        help="squad, snli, srl, coref, ner or sst5; or none for all",
    )
    comparison_arguments.add_settings_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table1_tasks import six_tasks

    check_out(args, [args.task_overrides])
    for result in six_tasks(args.tasks, comparison_arguments.settings(args)):
        write_table(args, result)
