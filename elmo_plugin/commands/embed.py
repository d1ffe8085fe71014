"""`elmo embed`: stores a biLM's activations for all sentences of a data set."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_plugin.commands import arguments
from elmo_plugin.common.atomic_write import check_not_read
from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import iter_sentences

if TYPE_CHECKING:
    from elmo_plugin.weights.activations_file import Sentence

DESCRIPTION = """Write a biLM's activations for each distinct sentence of a data set to an HDF5
    file, for the embedder "elmo_precomputed"."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=arguments.path,
        help="configuration of a training (.json, .jsonnet), for all data sets in it; or a text "
        "file or a glob, one tokenized sentence per line",
    )
    parser.add_argument("activations_file", type=arguments.output_file, help="file to write")
    arguments.add_bilm_argument(parser)
    parser.add_argument(
        "--initial-state",
        choices=["zero", "warm"],
        default="zero",
        help="LSTM state that each sentence starts from",
    )
    parser.add_argument("--float16", action="store_true", help="halve the file, at lower precision")
    parser.add_argument(
        "-o", "--overrides", default="", help="overrides of the configuration, as in `elmo train`"
    )
    arguments.add_cuda_device_argument(parser)
    arguments.add_precision_argument(parser)


def needs_allennlp(args: argparse.Namespace) -> bool:
    from elmo_plugin.weights.resolve import is_archive

    return _is_configuration(args) or is_archive(args.bilm)


def run(args: argparse.Namespace) -> None:
    import torch

    from elmo_plugin.models.loading import load_bilm_from
    from elmo_plugin.weights.activations_file import write_activations
    from elmo_plugin.weights.resolve import NAMES

    files = [args.data, args.bilm, *(Path(args.bilm, name) for name in NAMES)]
    check_not_read(args.activations_file, files)
    sentences = _configured(args) if _is_configuration(args) else None
    bilm = load_bilm_from(args.bilm, args.initial_state)
    bilm.to_precision(getattr(torch, args.precision)).to(arguments.device_name(args.cuda_device))
    if sentences is None:
        sentences = _text(args.data, bilm.config.max_characters)
    dtype = "float16" if args.float16 else "float32"
    show = partial(progress, description="embedding", unit="batches")
    write_activations(bilm, sentences, args.activations_file, dtype, show)
    print(args.activations_file)


def _is_configuration(args: argparse.Namespace) -> bool:
    return bool(args.data.endswith((".json", ".jsonnet")))


def _configured(args: argparse.Namespace) -> Iterator[Sentence]:
    from allennlp.common import Params

    from elmo_plugin.data.task_sentences import data_paths, task_sentences

    config = Params.from_file(args.data, args.overrides)
    check_not_read(args.activations_file, data_paths(config))
    return task_sentences(config)


def _text(path: str, max_characters: int) -> Iterator[Sentence]:
    from elmo_plugin.layers import batch_to_ids
    from elmo_plugin.weights.activations_file import Sentence

    for tokens in iter_sentences(path):
        yield Sentence(tokens, batch_to_ids([tokens], max_characters)[0])
