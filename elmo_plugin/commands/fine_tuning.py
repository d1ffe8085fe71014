"""`elmo fine-tuning`: Table 7, perplexity before and after fine-tuning a biLM."""

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out

DESCRIPTION = """Fine-tune a biLM for one epoch on the training text of four tasks, and
    print its perplexity on the development sentences before and after (Table 7). The fine-tuned
    biLMs remain in the directory of --runs, in NAME/exported."""
EXAMPLE = "elmo fine-tuning data --out runs/fine-tuning"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=arguments.path,
        help="folder with ner/{train,dev}.txt, sst/{train,dev}.txt, snli/{cf_train,cf_dev}.jsonl "
        "and squad/{train,dev}-v1.1.json",
    )
    arguments.add_bilm_argument(parser)
    arguments.add_cuda_device_argument(parser)
    arguments.add_batch_size_argument(parser)
    parser.add_argument(
        "--runs",
        type=arguments.output_directory,
        default="runs/finetune",
        metavar="DIR",
        help="directory of trainings, of which finished ones are not repeated",
    )
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table7_fine_tuning import FineTuning, fine_tuning
    from elmo_plugin.reporting.outputs import write_result

    check_out(args)
    settings = FineTuning(args.runs, args.bilm, args.cuda_device, args.batch_size)
    write_result(args.out, fine_tuning(args.data, settings), args.json)
