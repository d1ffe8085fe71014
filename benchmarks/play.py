"""Does a biLM tell the senses of `play` apart? Writes results/play.md.

Takes every noun `play` of SemCor, which the biLM was not trained on, that means a theatre play or a
play of sport, and asks which other one is nearest in each layer: does it have the same sense? (Of
contextual vectors, less their mean, by cosine.) A static vector is the same for all of them.

    python benchmarks/play.py data/wsd/semcor.train.jsonl.gz data/wsd/semcor.dev.jsonl.gz \\
        --out results/play
"""

import argparse
import gzip
import json
from collections.abc import Iterator

import numpy
import torch

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out, write_outputs
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.pretrained import load_pretrained_bilm
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Table

SENSES = {"play%1:10": "theatre", "play%1:04:0": "sport"}  # how WordNet's sense keys begin
QUOTES = {"``": '"', "''": '"'}  # the biLM's text has these


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("semcor", nargs="+", help="a JSON object a sentence: tokens, senses")
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    vectors, senses = occurrences(load_pretrained_bilm(), arguments.semcor)
    layers = {f"biLM, layer {i}": vectors[:, i] for i in range(vectors.shape[1])}
    layers["biLM, average"] = vectors.mean(1)
    counts = {sense: int((senses == sense).sum()) for sense in SENSES.values()}
    rows = [
        [
            "one of the others, at random",
            *(f"{(n - 1) / (len(senses) - 1):.0%} of {n}" for n in counts.values()),
        ]
    ]
    rows += [[name, *nearest_of_same_sense(layer, senses)] for name, layer in layers.items()]
    table = Table(
        "The nearest other `play` has the same sense",
        ["vectors", *counts],
        rows,
        {
            "Static vectors": "the same for every `play`: none is nearer than another, and the "
            "layer 0 of the biLM, which sees the word alone, is no better",
            **provenance(),
        },
        paper="Table 4",
    )
    write_outputs(arguments.out, table)


@torch.no_grad()
def occurrences(bilm: Bilm, files: list[str]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Vectors of shape (occurrences, layers, dim), and senses."""
    vectors, senses = [], []
    for tokens, place, sense in plays(files):
        vectors.append(bilm(batch_to_ids([tokens])).layers[:, 0, place].numpy())
        senses.append(sense)
    return numpy.stack(vectors), numpy.array(senses)


def plays(files: list[str]) -> Iterator[tuple[list[str], int, str]]:
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for sentence in map(json.loads, lines):
                tokens = [QUOTES.get(token, token) for token in sentence["tokens"]]
                for sense in sentence["senses"]:
                    names = [n for key, n in SENSES.items() if sense["sense"].startswith(key)]
                    if names and tokens[sense["start"]].lower() == "play":
                        yield tokens, sense["start"], names[0]


def nearest_of_same_sense(vectors: numpy.ndarray, senses: numpy.ndarray) -> list[str]:
    centred = vectors - vectors.mean(0)
    norms = numpy.linalg.norm(centred, axis=1, keepdims=True)
    unit = centred / numpy.maximum(norms, 1e-6)
    similarity = unit @ unit.T
    numpy.fill_diagonal(similarity, -numpy.inf)
    # Of vectors that are all equal, none is the nearest.
    same = senses[similarity.argmax(1)] == senses
    cells = []
    for sense in SENSES.values():
        of_sense = senses == sense
        known = norms.max() > 1e-5
        cells.append(f"{same[of_sense].mean():.0%} of {of_sense.sum()}" if known else "all equal")
    return cells


if __name__ == "__main__":
    main()
