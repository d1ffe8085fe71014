"""`elmo probe`: what a linear classifier reads from each layer (Table 6)."""

import argparse
import random
from typing import Any

from allennlp.common.tqdm import Tqdm

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_outputs
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.data.labels import LabelledSentence, read_conllu, read_side_by_side
from elmo_plugin.experiments.intrinsic.probes import linear_probe
from elmo_plugin.experiments.intrinsic.representations import (
    Representation,
    add_rival_arguments,
    all_representations,
    span_vectors,
)
from elmo_plugin.reporting.figures import bars
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import SeedStats, Table

# Of the Penn Treebank's tags in the Wall Street Journal: not to be compared, but to be ranked.
PAPER = {("CoVe", "1"): 93.3, ("CoVe", "2"): 92.8, ("biLM", "1"): 97.3, ("biLM", "2"): 96.8}
COLUMNS = ("representation", "layer", "dimensions", "accuracy", "paper (PTB)")


DESCRIPTION = """Train a linear classifier of tokens, by part of speech or any other label,
    on each layer of a biLM, on a random biLM, on static vectors and on CoVe, and print how
    many labels of the test text each has right."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "train", type=arguments.path, help="CoNLL-U, or a tokenized sentence a line"
    )
    parser.add_argument("test", type=arguments.path, help="likewise")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--column", default="upos", help="of CoNLL-U; upos if not given")
    source.add_argument(
        "--labels",
        type=arguments.path,
        nargs=2,
        metavar=("TRAIN", "TEST"),
        help="files with a line of labels for each sentence, for text that is not CoNLL-U",
    )
    parser.add_argument(
        "--sentences",
        type=arguments.positive_int,
        default=3000,
        help="train on so many, drawn at random; 3000 if not given",
    )
    parser.add_argument(
        "--samples",
        type=arguments.bounded_int(1, 1000),
        default=1,
        help="train on so many draws, one after the other; 1 if not given",
    )
    arguments.add_bilm_argument(parser)
    add_rival_arguments(parser)
    arguments.add_out_argument(parser)


def run(args: argparse.Namespace) -> None:
    check_out(args)
    train, test = _read(args)
    samples = [draw(train, args.sentences, args.seed + i) for i in range(args.samples)]
    representations = all_representations(args)
    rows: list[list[Any]] = [
        [one.name, layer, one.dim, accuracy, PAPER.get((one.name, layer))]
        for one in representations
        for layer, accuracy in zip(one.layers, probe_layers(one, samples, test))
    ]
    what = args.labels[0] if args.labels else args.column
    facts: dict[str, Any] = {
        "Trained on": f"{len(samples[0])} sentences of {args.train}: "
        + ", ".join(f"{_tokens(sample)} tokens" for sample in samples),
        "Scored on": f"{len(test)} sentences of {args.test}, {_tokens(test)} tokens",
        "Label": f"{what}, {len({x for sample in samples for x in _labels(sample)})} classes",
        "Weights": {one.name: one.weights for one in representations},
        "Seed": args.seed,
        **provenance(),
    }
    table = Table(f"Linear probe: {what}", COLUMNS, rows, facts, paper="Table 6")
    figure = None
    if args.out:
        names = [f"{row[0]} {row[1]}".strip() for row in rows]
        groups = [row[0] for row in rows]
        figure = bars([row[3].mean for row in rows], names, groups, "accuracy (%)", table.title)
    write_outputs(args.out, table, figure)


def _read(args: argparse.Namespace) -> tuple[list[LabelledSentence], list[LabelledSentence]]:
    if args.labels:
        return (
            read_side_by_side(args.train, args.labels[0]),
            read_side_by_side(args.test, args.labels[1]),
        )
    return read_conllu(args.train, args.column), read_conllu(args.test, args.column)


def draw(sentences: list[LabelledSentence], number: int, seed: int) -> list[LabelledSentence]:
    """So many of them at random, in their order; all if there are not more."""
    if number >= len(sentences):
        return sentences
    chosen = sorted(random.Random(seed).sample(range(len(sentences)), number))
    return [sentences[i] for i in chosen]


def probe_layers(
    representation: Representation,
    samples: list[list[LabelledSentence]],
    test: list[LabelledSentence],
) -> list[SeedStats]:
    """Of each layer, the accuracy of linear probes trained on each sample."""
    name = representation.name
    test_vectors, test_labels = _vectors(representation, test, f"{name}, test"), _labels(test)
    accuracies: list[list[float]] = [[] for _ in representation.layers]
    for train in samples:
        train_vectors = _vectors(representation, train, f"{name}, train")
        layers = list(zip(accuracies, train_vectors, test_vectors))
        for of_layer, x, y in Tqdm.tqdm(layers, desc=f"{name}, classifiers", unit=" layers"):
            with configuration_errors():
                of_layer.append(linear_probe(x, _labels(train), y, test_labels))
    return [SeedStats(tuple(of_layer)) for of_layer in accuracies]


def _vectors(
    representation: Representation, sentences: list[LabelledSentence], description: str
) -> Any:
    spans = [(i, k, k + 1) for i, s in enumerate(sentences) for k in range(len(s.tokens))]
    return span_vectors(representation, [s.tokens for s in sentences], spans, description)


def _labels(sentences: list[LabelledSentence]) -> list[str]:
    return [label for sentence in sentences for label in sentence.labels]


def _tokens(sentences: list[LabelledSentence]) -> int:
    return sum(len(sentence.tokens) for sentence in sentences)
