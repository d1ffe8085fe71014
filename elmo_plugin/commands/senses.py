"""`elmo senses`: Table 5, word sense disambiguation by each layer."""

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.commands.representation_arguments import (
    add_representation_arguments,
    representation_config,
    representation_paths,
)

DESCRIPTION = """Give each word of a test text the sense whose mean vector in the training text is
    nearest, by each layer of a biLM, of a random biLM and, with --vectors, of static vectors and of
    CoVe. Print fine-grained F1 and that of the first-sense baseline: for all test words, for words
    whose lemma is ambiguous in the training text, and for those of them whose sense is not the
    first (Table 5)."""
EXAMPLE = "elmo senses train.jsonl test.jsonl"
needs_allennlp = arguments.bilm_needs_allennlp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "train", type=arguments.path, help="a JSON object per line with tokens and senses"
    )
    parser.add_argument("test", type=arguments.path, help="test text in the same format")
    parser.add_argument("--lemma", help="only words of this lemma and part of speech, as in play.n")
    parser.add_argument(
        "--first-senses",
        type=arguments.path,
        metavar="INDEX_SENSE",
        help="WordNet's index.sense. If not given, a lemma's first sense is its most frequent one "
        "in the training text, and lemmas that are not there have no answer",
    )
    parser.add_argument(
        "--centered",
        action="store_true",
        help="also score vectors from which the mean of the training instances is subtracted",
    )
    add_representation_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.table5_word_senses import word_senses

    texts = (args.train, args.test, args.first_senses)
    check_out(args, [*texts, *representation_paths(args)])
    config = representation_config(args)
    result = word_senses(
        args.train, args.test, config, args.lemma, args.first_senses, args.centered
    )
    write_table(args, result)
