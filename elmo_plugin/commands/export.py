"""`elmo export`: writes a trained biLM in the file formats in which ELMo is distributed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_plugin.commands import arguments
from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.weights.input_files import check_not_read

if TYPE_CHECKING:
    from elmo_plugin.layers import Bilm

DESCRIPTION = """Write a trained biLM as options.json and weights.hdf5 in bilm-tf's format, which
    the embedder "elmo" and other ELMo programs read, with its softmax.hdf5 and vocabulary.txt."""
EXAMPLE = "elmo export runs/bilm my-bilm"
needs_allennlp = arguments.bilm_needs_allennlp

_BATCH_SIZE = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "bilm",
        type=arguments.path,
        metavar="BILM",
        help=arguments.BILM_HELP,
    )
    parser.add_argument(
        "directory", type=arguments.output_directory, help="directory to write, made if missing"
    )
    parser.add_argument("--float16", action="store_true", help="write float16, not float32")
    parser.add_argument(
        "--warm-state",
        type=arguments.path,
        metavar="TEXT",
        help="also store a warm initial state, the mean of the states after the sentences of this "
        "text, for the embedder's initial_state 'warm'",
    )


def run(args: argparse.Namespace) -> None:
    import torch

    from elmo_plugin.models.loading import load_language_model
    from elmo_plugin.weights.language_model_files import save_language_model
    from elmo_plugin.weights.resolve import NAMES

    read = [args.bilm, *([args.warm_state] if args.warm_state else [])]
    for name in NAMES:
        check_not_read(Path(args.directory, name), read)
    model, words = load_language_model(args.bilm)
    if args.warm_state:
        _record_warm_state(model.bilm, args.warm_state)
    dtype = torch.float16 if args.float16 else torch.float32
    paths = save_language_model(model.bilm, model.softmax, words, args.directory, dtype)
    print(*paths, sep="\n")


def _record_warm_state(bilm: Bilm, text: str) -> None:
    from elmo_plugin.embedding.batches import batches_by_length
    from elmo_plugin.layers import batch_to_ids
    from elmo_plugin.layers.warm_state import record_warm_state

    sentences = list(iter_sentences(text))
    batches = list(batches_by_length([*map(len, sentences)], _BATCH_SIZE))
    shown = progress(batches, "recording the warm state", "batches")
    parts = ([sentences[i] for i in batch] for batch in shown)
    record_warm_state(bilm, (batch_to_ids(part, bilm.config.max_characters) for part in parts))
