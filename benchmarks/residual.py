"""What does a residual connection do to a probe of the upper layer? Writes results/residual.*.

An upper layer of a biLM is the layer below plus what its own LSTMs have put out. Probes parts of
speech in both layers and in that output alone, over draws of training sentences as `elmo probe`.

    python benchmarks/residual.py data/pos/en_ewt-ud-train.conllu data/pos/en_ewt-ud-dev.conllu \\
        --out results/residual
"""

import argparse

import torch

from elmo_plugin.analysis.provenance import provenance
from elmo_plugin.analysis.tables import Table
from elmo_plugin.commands.language_model import load_layers
from elmo_plugin.commands.outputs import add_out_argument, check_out, write_outputs
from elmo_plugin.commands.probe import draw, probe_layers
from elmo_plugin.commands.representations import Representation, Sentences, add_bilm_argument
from elmo_plugin.data.labels import read_conllu
from elmo_plugin.layers import batch_to_ids

ROWS = ["layer 1", "layer 2", "layer 2 before layer 1 is added"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", help="CoNLL-U")
    parser.add_argument("test", help="likewise")
    parser.add_argument("--sentences", type=int, default=3000, help="of each draw")
    parser.add_argument("--samples", type=int, default=4, help="draws")
    add_bilm_argument(parser)
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments.out)
    train, test = (read_conllu(file, "upos") for file in (arguments.train, arguments.test))
    samples = [draw(train, arguments.sentences, seed) for seed in range(arguments.samples)]
    accuracies = probe_layers(both_and_between(arguments.bilm), samples, test)
    rows = [[name, accuracy] for name, accuracy in zip(ROWS, accuracies)]
    facts = {
        "Data": f"{arguments.samples} draws of {arguments.sentences} sentences of "
        f"{arguments.train}, scored on {arguments.test}",
        **provenance(),
    }
    title = "The residual connection: parts of speech"
    table = Table(title, ["vectors", "accuracy"], rows, facts, paper="Table 6")
    write_outputs(arguments.out, table)


def both_and_between(path: str) -> Representation:
    """Both layers of a biLM, and their difference."""
    bilm = load_layers(path)

    def encode(sentences: Sentences) -> torch.Tensor:
        _, lower, upper = bilm(batch_to_ids(sentences, bilm.config.max_characters)).layers
        return torch.stack([lower, upper, upper - lower])

    return Representation("biLM", path, ROWS, bilm.output_dim, encode)


if __name__ == "__main__":
    main()
