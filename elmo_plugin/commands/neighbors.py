"""`elmo neighbors`: Table 4, nearest neighbors in context."""

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.commands.representation_arguments import add_vectors_argument

DESCRIPTION = """Print the tokens of a corpus that are nearest to a word in its sentence, by the
    layer or mix of each index, beside the words with the nearest static vectors (Table 4). At most
    one token per sentence is printed, and none of the query's own sentence."""
EXAMPLE = 'elmo neighbors my-index --query play "The children play in the garden ."'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "indexes",
        type=arguments.path,
        nargs="+",
        metavar="INDEX",
        help="directory that `elmo index` wrote",
    )
    parser.add_argument(
        "--query",
        nargs=2,
        action="append",
        required=True,
        metavar=("WORD", "SENTENCE"),
        help="a word, and a tokenized sentence that contains it (its first occurrence counts); may "
        "be repeated",
    )
    add_vectors_argument(parser)
    parser.add_argument(
        "--top-k", type=arguments.positive_int, default=5, help="neighbors per query"
    )
    arguments.add_cuda_device_argument(parser)
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def needs_allennlp(args: argparse.Namespace) -> bool:
    from elmo_plugin.experiments.intrinsic.index_files import read_description
    from elmo_plugin.weights.resolve import is_archive

    return any(is_archive(read_description(directory)["bilm"]) for directory in args.indexes)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table4_neighbors import Query, nearest_neighbors

    check_out(args, [*args.indexes, args.vectors])
    device = arguments.device_name(args.cuda_device)
    queries = [Query.parse(word, sentence) for word, sentence in args.query]
    result = nearest_neighbors(queries, args.indexes, args.vectors, args.top_k, device)
    write_table(args, result)
