"""`elmo embed`: writes the vectors of a corpus to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from elmo_plugin.commands import arguments
from elmo_plugin.commands.embed_bilm import complete_bilm
from elmo_plugin.commands.embed_input import (
    check_options,
    count_sentences,
    input_files,
    is_configuration,
    paths_read,
)
from elmo_plugin.common.processes import available_cores
from elmo_plugin.common.progress import progress_bar
from elmo_plugin.embedding.choices import Format, InputFormat, Pooling
from elmo_plugin.weights.input_files import check_not_read

if TYPE_CHECKING:
    from elmo_plugin.embedding.block_encoder import BlockEncoder
    from elmo_plugin.embedding.corpus import Engine

DESCRIPTION = """Write the vectors of each sentence of a corpus, in order, to one file. If
    interrupted, the same command resumes."""
EXAMPLE = "elmo embed text/sentences.txt vectors.hdf5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        nargs="+",
        type=arguments.path,
        help="file or glob, plain or gzip: one tokenized sentence per line, JSON lines (.jsonl) or "
        "columns (.conll, .conllu); - for standard input; or the configuration of a training run "
        "(.json, .jsonnet), for the distinct sentences of all its datasets",
    )
    parser.add_argument(
        "out",
        type=arguments.path,
        help="file to write: .hdf5 or .h5 (for the embedder elmo_precomputed), .parquet, .npy, or "
        "a name that ends in / for a new directory of Parquet files",
    )
    parser.add_argument(
        "--bilm",
        type=arguments.path,
        help=f"{arguments.BILM_HELP}; by default, that of the configuration, or built-in",
    )
    _add_input_arguments(parser)
    _add_vector_arguments(parser)
    arguments.add_batch_size_argument(parser, default=128)
    arguments.add_cuda_device_argument(parser)
    note = "; by default, that of the configuration, or float32"
    arguments.add_precision_argument(parser, default=None, note=note)
    _add_engine_arguments(parser)


def needs_allennlp(args: argparse.Namespace) -> bool:
    return is_configuration(args) or (args.bilm is not None and arguments.bilm_needs_allennlp(args))


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.embedding.corpus import embed_corpus
    from elmo_plugin.embedding.formats import output_format

    out = Path(args.out)
    check_options(args)
    complete_bilm(args)
    if args.address is not None and args.engine != "ray":
        raise ValueError(f"--address: expected none without --engine ray, got {args.address}")
    check_not_read(out, paths_read(args))
    form = output_format(args.out, args.format)
    with progress_bar(count_sentences(args), "embedding", "sentences") as report:
        embed_corpus(input_files(args), out, _encoder(args), form, _engine(args), report)
    if out.is_file() or out.is_dir():  # not a pipe, which may be standard output
        print(out)


def _add_input_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input-format",
        choices=get_args(InputFormat),
        help="input format: a sentence per line; per line a JSON string, array of tokens, or "
        "object with one of them under 'text' or 'tokens'; or a token per line in columns. Taken "
        "from the file's name if not given",
    )
    parser.add_argument(
        "--raw-text", action="store_true", help="tokenize; otherwise, white space separates tokens"
    )
    parser.add_argument(
        "--column",
        type=arguments.positive_int,
        help="column of the token in conll; by default 2 for names that end in .conllu, else 1",
    )
    parser.add_argument(
        "-o", "--overrides", default="", help="overrides of the configuration, as in `elmo train`"
    )


def _add_vector_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--layers",
        type=arguments.layers("all", "average", "last", "mix"),
        default="all",
        help="all, average, last, mix (learned by a task model), or the index of a layer, 0 for "
        "the token layer",
    )
    parser.add_argument(
        "--pooling", choices=get_args(Pooling), help="one vector per sentence, over its tokens"
    )
    parser.add_argument(
        "--format",
        choices=get_args(Format),
        help="output format; by default, by the suffix of the output",
    )
    parser.add_argument("--float16", action="store_true", help="halve the file, at lower precision")
    parser.add_argument(
        "--initial-state",
        choices=["zero", "warm"],
        help="LSTM state that each sentence starts from; by default, that of the configuration, or "
        "zero",
    )


def _add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="where to run: on this machine, or on a Ray cluster",
    )
    parser.add_argument(
        "--workers",
        type=arguments.positive_int,
        help="number of processes, each on one core (with --engine ray, on one core or GPU); by "
        "default, the number of cores, or 1 with --cuda-device",
    )
    parser.add_argument(
        "--address", help="address of a Ray cluster; by default, one is started on this machine"
    )


def _encoder(args: argparse.Namespace) -> BlockEncoder:
    from elmo_plugin.embedding.block_encoder import BlockEncoder

    return BlockEncoder(
        args.bilm,
        args.layers,
        args.pooling,
        "float16" if args.float16 else "float32",
        args.precision,
        args.initial_state,
        arguments.device_name(args.cuda_device),
        args.batch_size,
        tuple(args.include_package or ()),
    )


def _engine(args: argparse.Namespace) -> Engine:
    workers = args.workers or (available_cores() if args.cuda_device < 0 else 1)
    if args.engine == "ray":
        from elmo_plugin.embedding.engines.ray import Ray

        return Ray(workers, args.address)
    if workers > 1:
        from elmo_plugin.embedding.engines.processes import Processes

        return Processes(workers)
    from elmo_plugin.embedding.corpus import encode_here

    return encode_here
