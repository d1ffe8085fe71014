"""`elmo probe`: Table 6, linear probes of each layer."""

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.commands.representation_arguments import (
    add_representation_arguments,
    representation_config,
    representation_paths,
)

DESCRIPTION = """Train a linear classifier of tokens, by part of speech or any other label, on each
    layer of a biLM, of a random biLM and, with --vectors, of static vectors and of CoVe, and print
    its accuracy on a test text (Table 6)."""
EXAMPLE = "elmo probe train.conllu test.conllu"
needs_allennlp = arguments.bilm_needs_allennlp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "train", type=arguments.path, help="CoNLL-U, or one tokenized sentence per line"
    )
    parser.add_argument("test", type=arguments.path, help="test text in the same format")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--column", default="upos", help="column of CoNLL-U with the labels")
    source.add_argument(
        "--labels",
        type=arguments.path,
        nargs=2,
        metavar=("TRAIN", "TEST"),
        help="files with a line of labels for each sentence, for text that is not CoNLL-U",
    )
    parser.add_argument(
        "--sentences",
        type=arguments.positive_int,
        default=3000,
        help="random training sentences per sample",
    )
    parser.add_argument(
        "--samples",
        type=arguments.bounded_int(1, 1000),
        default=1,
        help="samples of the training text, each with a classifier of its own",
    )
    add_representation_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.data.labels import LabeledText
    from elmo_plugin.experiments.table6_pos_tagging import linear_probes

    labels = args.labels or ()
    check_out(args, [args.train, args.test, *labels, *representation_paths(args)])
    text = LabeledText(args.train, args.test, args.column, args.labels)
    config = representation_config(args)
    write_table(args, linear_probes(text, config, args.sentences, args.samples))
