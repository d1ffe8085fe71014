"""Does a biLM tell the senses of `play` apart?

Takes every noun `play` of SemCor, on which the biLM was not trained, that means a theater play or
an activity (in sport, of children, an attempt), and counts how often its nearest neighbor in each
layer and in their average has the same sense (cosine), before and after the mean of all occurrences
is subtracted. A static vector is the same for all of them.

    python benchmarks/play.py runs/analysis/semcor.train.jsonl.gz \\
        runs/analysis/semcor.dev.jsonl.gz --out results/play

`benchmarks/analysis.sh` makes these files, whose quotes are those of the biLM's training text.
"""

import argparse
import gzip
import json
from collections.abc import Iterator

import numpy
import torch

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.pretrained import load_pretrained_bilm
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Table

SENSES = {"play%1:10": "theater", "play%1:04:0": "activity"}  # prefixes of WordNet's sense keys


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("semcor", nargs="+", help="a JSON object per sentence: tokens, senses")
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    vectors, senses = occurrences(load_pretrained_bilm(), arguments.semcor)
    layers = {f"biLM, layer {i}": vectors[:, i] for i in range(vectors.shape[1])}
    layers["biLM, average"] = vectors.mean(1)
    counts = {sense: int((senses == sense).sum()) for sense in SENSES.values()}
    chance = [f"{(n - 1) / (len(senses) - 1):.0%} of {n}" for n in counts.values()]
    rows = [["a random other occurrence", *chance]]
    for name, layer in layers.items():
        rows.append([name, *same_sense_rates(layer, senses)])
        rows.append([f"{name}, centered", *same_sense_rates(layer - layer.mean(0), senses)])
    metadata = {
        "Activity": "WordNet's senses play%1:04: a play in sport, the play of children, an attempt",
        "Static vectors": "the same for every `play`: all are equally near, and so they are in "
        "layer 0 of the biLM, which encodes the word alone",
        "Centered": "the mean of all occurrences is subtracted",
    }
    title = "The nearest other `play` has the same sense"
    table = Table(title, ["vectors", *counts], rows, metadata, paper="Table 4")
    write_table(arguments, Result(table))


@torch.no_grad()
def occurrences(bilm: Bilm, files: list[str]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return vectors of shape (occurrences, layers, dim), and their senses."""
    vectors, senses = [], []
    for tokens, position, sense in plays(files):
        vectors.append(bilm(batch_to_ids([tokens])).layers[:, 0, position].numpy())
        senses.append(sense)
    return numpy.stack(vectors), numpy.array(senses)


def plays(files: list[str]) -> Iterator[tuple[list[str], int, str]]:
    """Yield sentences, and the position and sense of each `play` in them."""
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for sentence in map(json.loads, lines):
                tokens = sentence["tokens"]
                for sense in sentence["senses"]:
                    names = [n for key, n in SENSES.items() if sense["sense"].startswith(key)]
                    if names and tokens[sense["start"]].lower() == "play":
                        yield tokens, sense["start"], names[0]


def same_sense_rates(vectors: numpy.ndarray, senses: numpy.ndarray) -> list[str]:
    """Describe, by sense, how many nearest neighbors have the same sense."""
    if numpy.ptp(vectors, axis=0).max() <= 1e-5:  # equal vectors have no nearest one
        return ["all equal" for _ in SENSES]
    unit = vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    similarity = unit @ unit.T
    numpy.fill_diagonal(similarity, -numpy.inf)
    same = senses[similarity.argmax(1)] == senses
    counted = [senses == sense for sense in SENSES.values()]
    return [f"{same[of_sense].mean():.0%} of {of_sense.sum()}" for of_sense in counted]


if __name__ == "__main__":
    main()
