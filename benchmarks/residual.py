"""What does a residual connection do to a probe of the upper layer? Writes results/residual.*.

An upper layer of a biLM is the layer below plus what its own LSTMs have put out. Probes parts of
speech in both layers and in that output alone, over draws of training sentences as `elmo probe`.

    python benchmarks/residual.py data/pos/en_ewt-ud-train.conllu data/pos/en_ewt-ud-dev.conllu \\
        --out results/residual
"""

import argparse
from itertools import pairwise

import torch

from elmo_plugin.commands.arguments import add_bilm_argument, add_out_argument
from elmo_plugin.commands.outputs import check_out, write_outputs
from elmo_plugin.commands.probe import draw, probe_layers
from elmo_plugin.data.labels import read_conllu
from elmo_plugin.experiments.intrinsic.representations import (
    Representation,
    Sentences,
)
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", help="CoNLL-U")
    parser.add_argument("test", help="likewise")
    parser.add_argument("--sentences", type=int, default=3000, help="of each draw")
    parser.add_argument("--samples", type=int, default=4, help="draws")
    add_bilm_argument(parser)
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    train, test = (read_conllu(file, "upos") for file in (arguments.train, arguments.test))
    samples = [draw(train, arguments.sentences, seed) for seed in range(arguments.samples)]
    layers = with_and_without_residual(arguments.bilm)
    rows: list[list[Cell]] = [
        list(row) for row in zip(layers.layers, probe_layers(layers, samples, test))
    ]
    facts = {
        "Data": f"{arguments.samples} draws of {arguments.sentences} sentences of "
        f"{arguments.train}, scored on {arguments.test}",
        **provenance(),
    }
    title = "The residual connection: parts of speech"
    table = Table(title, ["vectors", "accuracy"], rows, facts, paper="Table 6")
    write_outputs(arguments.out, table)


def with_and_without_residual(path: str) -> Representation:
    """The LSTM layers of a biLM, and of each upper one what it adds to the layer below."""
    bilm = load_bilm_from(path)
    if not bilm.config.residual:
        raise SystemExit(f"--bilm {path}: expected a biLM with residual connections, found none")
    names = [f"layer {k}" for k in range(1, bilm.config.num_layers + 1)]
    added = [f"{upper} before {lower} is added" for lower, upper in pairwise(names)]

    def encode(sentences: Sentences) -> torch.Tensor:
        layers = bilm(batch_to_ids(sentences, bilm.config.max_characters)).layers[1:]
        return torch.cat([layers, layers.diff(dim=0)])

    return Representation("biLM", path, [*names, *added], bilm.output_dim, encode)


if __name__ == "__main__":
    main()
