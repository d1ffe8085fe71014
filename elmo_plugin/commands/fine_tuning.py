"""`elmo fine-tuning`: Table 7, perplexity before and after fine-tuning a biLM."""

import argparse

from elmo_plugin.commands import arguments, comparison_arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Fine-tune a biLM for one epoch on the training text of tasks, and
    print its perplexity on the development sentences before and after (Table 7). The fine-tuned
    biLMs remain in the directory of --runs: in ner/exported, snli/exported, sst/exported (of sst5),
    squad_contexts/exported and squad_questions/exported. The texts are the training and development
    data of the tasks' configurations. To fine-tune a biLM on other text, run `elmo train` with
    training_configs/bilm/finetune.jsonnet."""
EXAMPLE = "elmo fine-tuning --overrides \"import 'my-paths.libsonnet'\""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help="ner, snli, squad or sst5; or none for all"
    )
    comparison_arguments.add_overrides_argument(parser)
    arguments.add_bilm_argument(parser)
    arguments.add_cuda_device_argument(parser)
    arguments.add_batch_size_argument(parser)
    parser.add_argument(
        "--runs",
        type=arguments.output_directory,
        default="runs/finetune",
        metavar="DIR",
        help="directory of training runs, of which finished ones are not repeated",
    )
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table7_fine_tuning import FineTuning, fine_tuning

    check_out(args, [args.bilm])
    settings = FineTuning(args.overrides, args.runs, args.bilm, args.cuda_device, args.batch_size)
    write_table(args, fine_tuning(args.tasks, settings))
