"""Arguments of the commands that compare the layers of a biLM with other representations."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from elmo_plugin.commands import arguments

if TYPE_CHECKING:
    from elmo_plugin.experiments.intrinsic.representations import RepresentationConfig


def add_representation_arguments(parser: argparse.ArgumentParser) -> None:
    """The weights to compare, device and batch size, and the options for output."""
    arguments.add_bilm_argument(parser)
    add_vectors_argument(parser)
    parser.add_argument(
        "--cove",
        type=arguments.path,
        help="CoVe's published weights (default: random ones); requires --vectors, which are "
        "CoVe's inputs",
    )
    parser.add_argument(
        "--seed",
        type=arguments.seed,
        default=0,
        help="random seed of samples (`elmo probe`) and of random weights",
    )
    parser.add_argument(
        "--random-seeds",
        type=arguments.bounded_int(1, 1000),
        default=1,
        metavar="NUMBER",
        help="number of random biLMs (and, with --vectors, random CoVes), with consecutive seeds",
    )
    arguments.add_cuda_device_argument(parser)
    arguments.add_batch_size_argument(parser)
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def add_vectors_argument(parser: argparse.ArgumentParser) -> None:
    """`--vectors`, static word vectors."""
    parser.add_argument(
        "--vectors",
        type=arguments.path,
        help="static word vectors to compare with, in GloVe's text format",
    )


def representation_paths(args: argparse.Namespace) -> tuple[str | None, ...]:
    """Return the files that these arguments name; `None` for those that are not given."""
    return args.bilm, args.vectors, args.cove


def representation_config(args: argparse.Namespace) -> RepresentationConfig:
    from elmo_plugin.experiments.intrinsic.representations import RepresentationConfig

    device = arguments.device_name(args.cuda_device)
    return RepresentationConfig(
        args.bilm,
        args.vectors,
        args.cove,
        args.seed,
        device,
        args.batch_size,
        args.random_seeds,
    )
