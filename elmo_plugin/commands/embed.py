"""`elmo embed`: a biLM's layers of all sentences of a data set, stored for many trainings."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from allennlp.common import Params, Tqdm
from allennlp.nn.util import int_to_device

from elmo_plugin.commands import arguments
from elmo_plugin.common.atomic_write import check_not_read
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.data.task_sentences import data_paths, task_sentences
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_layers
from elmo_plugin.weights.activations_file import Sentence, write_activations
from elmo_plugin.weights.language_model_files import NAMES

DESCRIPTION = """Write a biLM's layers of each distinct sentence to an HDF5 file, from which
    the embedder "elmo_precomputed" mixes them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=arguments.path,
        help="a training's configuration (.json, .jsonnet), for all data sets in it as its "
        "reader reads them; or a text or a glob, one tokenized sentence a line",
    )
    parser.add_argument("activations_file", type=arguments.output_file, help="where to write")
    arguments.add_bilm_argument(parser)
    parser.add_argument(
        "--initial-state", choices=["zero", "warm"], default="zero", help="as for `elmo`"
    )
    parser.add_argument("--float16", action="store_true", help="half as large a file, less exact")
    parser.add_argument(
        "-o", "--overrides", default="", help="of the configuration, as for `train`"
    )
    arguments.add_cuda_device_argument(parser)


def run(args: argparse.Namespace) -> None:
    with configuration_errors():
        is_config = args.data.endswith((".json", ".jsonnet"))
        config = Params.from_file(args.data, args.overrides) if is_config else None
        read = [args.data, *([] if config is None else data_paths(config)), args.bilm]
        check_not_read(args.activations_file, [*read, *(Path(args.bilm, name) for name in NAMES)])
        bilm = load_layers(args.bilm, args.initial_state)
        bilm.to(int_to_device(args.cuda_device))
        sentences = (
            _text(args.data, bilm.config.max_characters)
            if config is None
            else task_sentences(config)
        )
        dtype = "float16" if args.float16 else "float32"
        write_activations(bilm, sentences, args.activations_file, dtype, Tqdm.tqdm)
    print(args.activations_file)


def _text(path: str, max_characters: int) -> Iterator[Sentence]:
    for tokens in iter_sentences(path):
        yield Sentence(tokens, batch_to_ids([tokens], max_characters)[0])
