"""`elmo ensemble`: several trained classifiers together."""

import argparse
from pathlib import Path

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_table

DESCRIPTION = """Combine several trained classifiers, such as the seeds of SNLI's or SST-5's model,
    by the mean of their probabilities or by a majority of their votes. Print the accuracy of each
    and of all together on a file with labels."""
EXAMPLE = "elmo ensemble test.jsonl runs/snli-1/model.tar.gz runs/snli-2/model.tar.gz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", type=arguments.path, help="file in the format that the models were trained on"
    )
    parser.add_argument(
        "archives",
        type=arguments.path,
        nargs="+",
        metavar="ARCHIVE",
        help="a model.tar.gz or the serialization directory of a training run; two or more, of the "
        "same classes",
    )
    parser.add_argument(
        "--vote", choices=["mean", "majority"], default="mean", help="how to combine predictions"
    )
    parser.add_argument(
        "--predictions",
        type=arguments.output_file,
        metavar="FILE",
        help="write a JSON object per line, with the label and the probabilities of all classes "
        "(with --vote majority: their shares of the votes, changed slightly to break ties)",
    )
    arguments.add_cuda_device_argument(parser)
    arguments.add_batch_size_argument(parser)
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.ensemble import ensemble
    from elmo_plugin.reporting.outputs import make_directory_of, output_files
    from elmo_plugin.weights.input_files import check_not_read

    inputs = [args.data, *args.archives]
    check_out(args, inputs)
    if args.predictions is not None:
        make_directory_of(args.predictions, "--predictions")
        check_not_read(args.predictions, inputs)
        tables = [] if args.out is None else output_files(args.out)
        if Path(args.predictions).resolve() in [file.resolve() for file in tables]:
            raise ValueError(
                f"--predictions {args.predictions}: expected a file other than those of --out "
                f"{args.out}"
            )
    result = ensemble(
        args.archives, args.data, args.vote, args.predictions, args.cuda_device, args.batch_size
    )
    write_table(args, result)
