"""
Times epochs of the named-entity tagger: without ELMo, with stored activations, with a frozen biLM,
and with AllenNLP's `elmo_token_embedder` on the same weights.

    python benchmarks/stored_activations.py --data data/ner/train.txt \
        --out results/stored_activations.md

The four trainings take turns, epoch by epoch, in one process. The table has the first epoch, in
which the biLM reads each sentence for the first time, and the median of the others.
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
from speed_tables import append_table

from elmo_plugin.data.task_sentences import task_sentences
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.corpus import embed_corpus, encode_here
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights import load_bilm, save_bilm
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER

ROOT = Path(__file__).parent.parent
COLUMNS = (
    *("biLM", "embedder", "first epoch", "later epochs"),
    *("ratio to the baseline", "ratio to AllenNLP"),
)
NAMES = {
    "baseline": "without ELMo",
    "stored": "`elmo_precomputed`",
    "inside": "`elmo`, frozen",
    "allennlp": "`elmo_token_embedder`",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT / "fixtures/ner/train.conll")
    parser.add_argument("--sentences", type=int, default=400, help="number of sentences")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--sizes", nargs="+", choices=["built-in", "published"], default=["built-in", "published"]
    )
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    import_plugins()

    rows: list[list[Cell]] = []
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows += rows_of_size(size, seconds(size, Path(folder), arguments))
    metadata = {
        "Times": f"seconds per epoch of {arguments.sentences} sentences of {arguments.data.name}, "
        f"`training_configs/ner/`; median of {arguments.epochs - 1} epochs after the first",
        "Weights": "random in the published sizes",
    }
    append_table("Epochs with stored activations", COLUMNS, rows, metadata, arguments.out)


def rows_of_size(size: str, epochs: dict[str, list[float]]) -> list[list[Cell]]:
    later = {name: statistics.median(values[1:]) for name, values in epochs.items()}
    return [
        [
            *(size, NAMES[name], values[0], later[name]),
            later[name] / later["baseline"],
            f"{later[name] / later['allennlp']:.3f}",
        ]
        for name, values in epochs.items()
    ]


def seconds(size: str, folder: Path, arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Time every epoch of every training."""
    trainings = trainers(size, folder, arguments)
    epochs: dict[str, list[float]] = {name: [] for name in trainings}
    for epoch in range(arguments.epochs):
        for name, training in trainings.items():
            start = time.perf_counter()
            training._train_epoch(epoch)
            epochs[name].append(time.perf_counter() - start)
    return epochs


def trainers(size: str, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    files = bilm_files(size, folder)
    bilm = load_bilm(files["options_file"], files["weight_file"])
    layers = {"activations_file": str(folder / "layers.hdf5")}
    dim = {"dim": bilm.output_dim}
    configs = {
        "baseline": configuration("baseline", dim, arguments),
        "stored": configuration("elmo", dim | layers, arguments),
        "inside": configuration("elmo", dim | files, arguments),
        "allennlp": configuration("elmo", dim | files, arguments),
    }
    peer = configs["allennlp"]["model"]["text_field_embedder"]["token_embedders"]["elmo"]
    peer["type"] = "elmo_token_embedder"
    peer.pop("num_output_representations", None)
    # Memory for the layers of all sentences.
    inside = configs["inside"]["model"]["text_field_embedder"]["token_embedders"]["elmo"]
    inside["cache_gigabytes"] = 8
    sentences = list(task_sentences(Params(configs["inside"]).duplicate()))
    encoder = BlockEncoder(files["weight_file"])
    embed_corpus([sentences], layers["activations_file"], encoder, "packed", encode_here)
    return {name: trainer(Params(config), folder / name) for name, config in configs.items()}


def bilm_files(size: str, folder: Path) -> dict[str, str]:
    if size == "built-in":
        folder = BUILT_IN_FOLDER
    else:
        save_bilm(Bilm(BilmConfig()), folder / "options.json", folder / "weights.hdf5")
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
