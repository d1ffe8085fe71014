"""How does the residual connection affect a probe of the upper layer?

Each upper layer of a biLM is the layer below plus the output of its own LSTMs. This probes parts of
speech in both layers and in that output alone, over several samples, as `elmo probe` does.

    python benchmarks/residual.py data/pos/en_ewt-ud-train.conllu data/pos/en_ewt-ud-dev.conllu \\
        --out results/residual
"""

import argparse
from itertools import pairwise

import torch

from elmo_plugin.commands.arguments import add_bilm_argument, add_out_argument, positive_int
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.data.labels import read_conllu, sample_sentences
from elmo_plugin.experiments.intrinsic.representations import Representation, Sentences
from elmo_plugin.experiments.statistics.significance import bootstrap_interval
from elmo_plugin.experiments.table6_pos_tagging import probe_layers, seed_stats
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", help="CoNLL-U")
    parser.add_argument("test", help="CoNLL-U")
    parser.add_argument("--sentences", type=positive_int, default=3000, help="per sample")
    parser.add_argument("--samples", type=positive_int, default=4)
    add_bilm_argument(parser)
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    train, test = (read_conllu(file, "upos") for file in (arguments.train, arguments.test))
    samples = [
        sample_sentences(train, arguments.sentences, seed) for seed in range(arguments.samples)
    ]
    layers = with_and_without_residual(arguments.bilm)
    scores = probe_layers(layers, samples, test)
    rows: list[list[Cell]] = [
        [name, seed_stats(counts), bootstrap_interval(counts)]
        for name, counts in zip(layers.layers, scores)
    ]
    metadata = {
        "Data": f"{arguments.samples} samples of {arguments.sentences} sentences of "
        f"{arguments.train}, scored on {arguments.test}",
    }
    title = "The residual connection: parts of speech"
    table = Table(title, ["vectors", "accuracy", "95% CI"], rows, metadata, paper="Table 6")
    write_table(arguments, Result(table))


def with_and_without_residual(path: str) -> Representation:
    """Return a biLM's LSTM layers, and the difference of each from the layer below."""
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
