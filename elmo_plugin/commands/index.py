"""`elmo index`: a vector of every token of a corpus, for `elmo neighbors`."""

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.experiments.intrinsic.corpus_index import Source, build_index
from elmo_plugin.layers.scalar_mix import MixKind

DESCRIPTION = """Write the vector that a biLM gives each token of a corpus, for
    `elmo neighbors` to search: 1 GB for a million tokens of 256 dimensions."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", type=arguments.path, help="a file or a glob, one tokenized sentence a line"
    )
    parser.add_argument(
        "directory", type=arguments.path, help="where to write; nothing may be there"
    )
    parser.add_argument(
        "--mix",
        type=_mix_kind,
        default="average",
        help="a layer's number from 0, the token layer; last; or average, if not given, which "
        "is ELMo before a task has trained it",
    )
    parser.add_argument(
        "--random",
        type=arguments.seed,
        metavar="SEED",
        help="of a biLM of the same shape with random weights, to compare with",
    )
    arguments.add_bilm_argument(parser)


def _mix_kind(text: str) -> MixKind:
    if text in ("last", "average"):
        return text  # type: ignore[return-value]
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"expected a layer's number, last or average, found {text!r}"
        )
    return int(text)


def run(args: argparse.Namespace) -> None:
    source = Source(args.mix, args.bilm, args.random)
    tokens = build_index(args.text, args.directory, source)
    print(f"{args.directory}: {source} of {tokens:,} tokens")
