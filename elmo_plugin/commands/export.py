"""`elmo export`: a trained biLM in the files that ELMo is distributed in."""

import argparse
from pathlib import Path

import torch
from allennlp.common.tqdm import Tqdm

from elmo_plugin.commands import arguments
from elmo_plugin.common.atomic_write import check_not_read
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.data.language_modeling.vocabulary import words_in_order
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.models.loading import load_language_model
from elmo_plugin.weights.language_model_files import NAMES, save_language_model

_ROWS = 64


DESCRIPTION = """Write a trained biLM as bilm-tf's HDF5 weights and options.json, which the
    embedder "elmo" and other ELMo programs read, with its softmax and vocabulary."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "archive", type=arguments.path, help="model.tar.gz, or the directory of the training"
    )
    parser.add_argument(
        "directory",
        type=arguments.output_directory,
        help="where to write; made if it is not there",
    )
    parser.add_argument("--float16", action="store_true", help="halve the files; float32 otherwise")
    parser.add_argument(
        "--warm-state",
        type=arguments.path,
        metavar="TEXT",
        help="also store a warm initial state: the mean of those that sentences of this text "
        "leave behind, for the embedder's initial_state 'warm'",
    )


def run(args: argparse.Namespace) -> None:
    read = [args.archive, *(Path(args.archive, name) for name in NAMES)]
    read += [args.warm_state] if args.warm_state else []
    with configuration_errors():
        for name in NAMES:
            check_not_read(Path(args.directory, name), read)
    model = load_language_model(args.archive)
    if args.warm_state:
        record_warm_state(model.bilm, args.warm_state)
    dtype = torch.float16 if args.float16 else torch.float32
    words = words_in_order(model.vocab)
    with configuration_errors():
        paths = save_language_model(model.bilm, model.softmax, words, args.directory, dtype)
    print(*paths, sep="\n")


def record_warm_state(bilm: Bilm, text: str) -> None:
    """Sets a biLM's warm initial state from a text: a file or a glob, a sentence a line."""
    sentences = list(iter_sentences(text))
    # Rows of equal length, so that little is computed for nothing.
    sentences.sort(key=len)
    batches = [sentences[start : start + _ROWS] for start in range(0, len(sentences), _ROWS)]
    bilm.record_warm_state(
        batch_to_ids(batch, bilm.config.max_characters)
        for batch in Tqdm.tqdm(batches, desc="recording the warm state", unit="batch")
    )
