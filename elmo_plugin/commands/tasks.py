"""`elmo tasks`: Table 1, the six tasks."""

import argparse

from elmo_plugin.commands import arguments, comparison_arguments
from elmo_plugin.commands.outputs import check_out

DESCRIPTION = """Train each of six tasks without and with ELMo, and after each task print a table of
    all that are finished, beside the paper's scores (Table 1)."""
EXAMPLE = "elmo tasks ner sst5 --out runs/tasks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks",
        nargs="*",
        metavar="TASK",
        help="squad, snli, srl, coref, ner or sst5; or none for all",
    )
    parser.add_argument(
        "--task-overrides",
        type=arguments.path,
        metavar="FILE",
        help="Jsonnet file with an object per task that extends its configurations; its hidden "
        "fields `fraction` and `seeds` are the fraction of the training data and the seeds",
    )
    comparison_arguments.add_runs_arguments(parser)
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table1_tasks import TaskSettings, six_tasks
    from elmo_plugin.reporting.outputs import write_result

    check_out(args)
    settings = TaskSettings(args.overrides, args.task_overrides, args.runs)
    for result in six_tasks(args.tasks, settings):
        write_result(args.out, result, args.json)
