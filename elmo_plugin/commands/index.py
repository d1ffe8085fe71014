"""`elmo index`: a vector for every token of a corpus, for `elmo neighbors`."""

from __future__ import annotations

import argparse

from elmo_plugin.commands import arguments

DESCRIPTION = """Write the vectors that a biLM gives the tokens of a corpus, for `elmo neighbors` to
    search: 2 GB per million tokens with the built-in biLM."""
EXAMPLE = "elmo index text/sentences.txt my-index --layers last"
needs_allennlp = arguments.bilm_needs_allennlp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text",
        type=arguments.path,
        help="a file or a glob, one tokenized sentence per line; names that end in .conll, .conllu "
        "or .jsonl stand for columns and JSON lines, as in `elmo embed`",
    )
    parser.add_argument(
        "directory", type=arguments.path, help="directory to write, which must not exist"
    )
    parser.add_argument(
        "--layers",
        type=arguments.layers("average", "last"),
        default="average",
        help="average (of all layers), last, or the index of a layer, 0 for the token layer",
    )
    parser.add_argument(
        "--random",
        type=arguments.seed,
        metavar="SEED",
        help="use an untrained biLM of the same shape, as a baseline",
    )
    arguments.add_bilm_argument(parser)
    arguments.add_cuda_device_argument(parser)
    arguments.add_batch_size_argument(parser)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.experiments.intrinsic.corpus_encoder import IndexConfig
    from elmo_plugin.experiments.intrinsic.index_files import build_index

    device = arguments.device_name(args.cuda_device)
    config = IndexConfig(args.layers, args.bilm, args.random)
    tokens = build_index(args.text, args.directory, config, device, args.batch_size)
    print(f"{args.directory}: {tokens:,} tokens ({config})")
