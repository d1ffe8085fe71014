"""
Times epochs of the named-entity tagger: without ELMo, with stored activations, with a frozen biLM
in float32 and in bfloat16, and with AllenNLP's `elmo_token_embedder` on the same weights.

    python benchmarks/stored_activations.py --data data/ner/train.txt \
        --out results/stored_activations.md

The runs take turns, epoch by epoch, in one process; in each round, all start anew. The table has
medians of the first epochs, in which the biLM reads each sentence for the first time, and of the
others. With stored activations, the time to store them, on one core, counts for the first epoch. A
ratio above 1 means faster than AllenNLP's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import _jsonnet
import torch
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.common.util import prepare_environment
from sizes import SIZES
from speed_tables import append_table, ratio_cell

from elmo_plugin.commands.arguments import bounded_int
from elmo_plugin.data.task_sentences import task_sentences
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.corpus import embed_corpus, encode_here
from elmo_plugin.layers import Bilm
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights import load_bilm, save_bilm
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER

ROOT = Path(__file__).parent.parent
COLUMNS = (
    *("biLM", "embedder", "first epoch, s", "first epoch, ratio to AllenNLP"),
    *("later epochs, s", "later epochs, ratio to AllenNLP", "ratio to no ELMo"),
)
NAMES = {
    "baseline": "without ELMo",
    "stored": "`elmo_precomputed`",
    "inside": "`elmo`, frozen",
    "bfloat16": "`elmo`, frozen, bfloat16",
    "allennlp": "`elmo_token_embedder`",
}

Epochs = dict[str, list[list[float]]]
"""Seconds by training, round and epoch."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT / "fixtures/ner/train.conll")
    parser.add_argument("--sentences", type=int, default=400, help="number of sentences")
    parser.add_argument("--epochs", type=bounded_int(2, 1000), default=4)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--sizes",
        nargs="+",
        choices=["built-in", *SIZES],
        default=["built-in", "4096/512/2048"],
        help="the built-in biLM, or sizes of biLMs with random weights",
    )
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    import_plugins()

    rows: list[list[Cell]] = []
    for size in arguments.sizes:
        epochs: Epochs = {name: [] for name in NAMES}
        for _ in range(arguments.rounds):
            with tempfile.TemporaryDirectory() as folder:
                trainings, storing = trainers(size, Path(folder), arguments)
                add_round(epochs, trainings, arguments.epochs)
                epochs["stored"][-1][0] += storing
        rows += rows_of_size(size, epochs)
    metadata = {
        "Times": f"seconds per epoch of {arguments.sentences} sentences of {arguments.data.name}, "
        f"`training_configs/ner/`; {arguments.rounds} rounds of {arguments.epochs} epochs",
        "Weights": "random, except for the built-in biLM",
    }
    append_table("Epochs with stored activations", COLUMNS, rows, metadata, arguments.out)


def add_round(epochs: Epochs, trainings: dict[str, Any], number: int) -> None:
    """Time every epoch of every training run."""
    for name in trainings:
        epochs[name].append([])
    for epoch in range(number):
        for name, training in trainings.items():
            start = time.perf_counter()
            training._train_epoch(epoch)
            epochs[name][-1].append(time.perf_counter() - start)


def rows_of_size(size: str, epochs: Epochs) -> list[list[Cell]]:
    first = {name: [values[0] for values in rounds] for name, rounds in epochs.items()}
    later = {
        name: [value for values in rounds for value in values[1:]]
        for name, rounds in epochs.items()
    }
    return [
        [
            *(size, NAMES[name], statistics.median(first[name])),
            ratio_to_allennlp(name, first),
            statistics.median(later[name]),
            ratio_to_allennlp(name, later),
            f"{statistics.median(later['baseline']) / statistics.median(later[name]):.2f}",
        ]
        for name in NAMES
    ]


def ratio_to_allennlp(name: str, seconds: dict[str, list[float]]) -> str:
    return "" if name == "allennlp" else ratio_cell(seconds["allennlp"], seconds[name])


def trainers(
    size: str, folder: Path, arguments: argparse.Namespace
) -> tuple[dict[str, Any], float]:
    """Return the trainers by name, and the seconds in which activations were stored."""
    files = bilm_files(size, folder)
    bilm = load_bilm(files["options_file"], files["weight_file"])
    layers = {"activations_file": str(folder / "layers.hdf5")}
    dim = {"dim": bilm.output_dim}
    configs = {
        "baseline": configuration("baseline", dim, arguments),
        "stored": configuration("elmo", dim | layers, arguments),
        "inside": configuration("elmo", dim | files, arguments),
        "bfloat16": configuration("elmo", dim | files, arguments),
        "allennlp": configuration("elmo", dim | files, arguments),
    }
    peer = configs["allennlp"]["model"]["text_field_embedder"]["token_embedders"]["elmo"]
    peer["type"] = "elmo_token_embedder"
    peer.pop("num_output_representations", None)
    for name in ("inside", "bfloat16"):
        embedder = configs[name]["model"]["text_field_embedder"]["token_embedders"]["elmo"]
        embedder["cache_gigabytes"] = 8  # the layers of all sentences
        embedder["precision"] = "bfloat16" if name == "bfloat16" else "float32"
    sentences = list(task_sentences(Params(configs["inside"]).duplicate()))
    start = time.perf_counter()
    encoder = BlockEncoder(files["weight_file"])
    embed_corpus([sentences], layers["activations_file"], encoder, "packed", encode_here)
    storing = time.perf_counter() - start
    trainings = {name: trainer(Params(config), folder / name) for name, config in configs.items()}
    return trainings, storing


def bilm_files(size: str, folder: Path) -> dict[str, str]:
    if size == "built-in":
        folder = BUILT_IN_FOLDER
    else:
        torch.manual_seed(0)
        save_bilm(Bilm(SIZES[size]), folder / "options.json", folder / "weights.hdf5")
    return {
        "options_file": str(folder / "options.json"),
        "weight_file": str(folder / "weights.hdf5"),
    }


def configuration(name: str, bilm: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    source = ROOT / "training_configs" / "ner" / f"{name}.jsonnet"
    data = {"train": str(arguments.data), "dev": None}
    vectors = {"file": str(ROOT / "fixtures/vectors/vectors.16d.txt"), "dim": 16}
    paths = json.dumps({"ner": data, "bilm": bilm, "vectors": vectors})
    text = _jsonnet.evaluate_snippet("ner", f"(import '{source}') {{ paths:: {paths} }}")
    config = json.loads(text)
    config["dataset_reader"]["max_instances"] = arguments.sentences
    config["datasets_for_vocab_creation"] = ["train"]
    config["trainer"] |= {"validation_metric": "-loss", "run_confidence_checks": False}
    return config


def trainer(config: Params, folder: Path) -> Any:
    prepare_environment(config)
    training = TrainModel.from_params(
        params=config, serialization_dir=str(folder), local_rank=0, batch_weight_key=""
    )
    return training.trainer


if __name__ == "__main__":
    main()
