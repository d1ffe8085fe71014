"""Table 6 (section 5.3): linear probes of each layer, for parts of speech or any other label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy

from elmo_plugin.common.progress import progress
from elmo_plugin.data.labels import (
    LabeledSentence,
    LabeledText,
    are_parts_of_speech,
    sample_sentences,
)
from elmo_plugin.experiments.intrinsic.probes import linear_probe
from elmo_plugin.experiments.intrinsic.representations import (
    Representation,
    RepresentationConfig,
    all_representations,
)
from elmo_plugin.experiments.intrinsic.token_vectors import span_vectors
from elmo_plugin.experiments.intrinsic.versus_top_layer import (
    P_OVER_SENTENCES,
    VERSUS_TOP,
    versus_top_layer,
)
from elmo_plugin.experiments.statistics.groups import sum_by_group
from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.experiments.statistics.significance import bootstrap_interval
from elmo_plugin.reporting.figures import dots
from elmo_plugin.reporting.names import layer_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.published_results import published_score
from elmo_plugin.reporting.tables import SeedStats, Table

COLUMNS = ("representation", "layer", "dimensions", "accuracy", "95% CI", *VERSUS_TOP)
# Scores on the Penn Treebank, which compare by rank only; shown for parts of speech alone.
PAPER_COLUMN = "paper (PTB)"


def linear_probes(
    text: LabeledText, config: RepresentationConfig, sentences: int = 3000, num_samples: int = 1
) -> Result:
    """
    Train a linear classifier of tokens on each layer of each representation.

    # Parameters

    text : `LabeledText`
    config : `RepresentationConfig`
    sentences : `int`, optional (default = `3000`)
        Random training sentences per sample.
    num_samples : `int`, optional (default = `1`)
        Samples of the training text, each with a classifier of its own.

    # Returns

    `Result` : accuracy by layer, over all samples and random weights, with an interval by bootstrap
    over these and over test sentences, and a paired test against the biLM's top layer. For parts of
    speech, beside the paper's.
    """
    train, test = text.read()
    different = num_samples if sentences < len(train) else 1
    samples = [sample_sentences(train, sentences, config.seed + i) for i in range(different)]
    representations = all_representations(config)
    scored = [
        (name, layer, counts)
        for name, same in representations.items()
        for layer, counts in zip(same[0].layers, _counts_by_layer(same, samples, test))
    ]
    dims = {name: same[0].dim for name, same in representations.items()}
    differences = versus_top_layer(scored, shared_samples=True)
    rows = [
        [name, layer, dims[name], seed_stats(counts), bootstrap_interval(counts), *compared]
        for (name, layer, counts), compared in zip(scored, differences)
    ]
    metadata = {
        **_data(text, samples, test),
        "Scores": "mean ± standard deviation over random weights and samples of training "
        "sentences. Intervals are a bootstrap over these and over test sentences; with one "
        f"sample, they do not cover other training sentences. {P_OVER_SENTENCES}",
        "Weights": {name: [one.weights for one in same] for name, same in representations.items()},
        "Seed": config.seed,
    }
    if different < num_samples:
        metadata["Samples"] = f"one in place of {num_samples}: it has all {len(train)} sentences"
    table = Table(f"Linear probe: {text.label}", COLUMNS, rows, metadata)
    if are_parts_of_speech(label for part in (*samples, test) for label in _labels(part)):
        table = beside_the_paper(table)
    return Result(table, _figure(rows, table.title))


def seed_stats(counts: numpy.ndarray) -> SeedStats:
    """Return the scores of counts of shape (seeds..., sentences, columns)."""
    return SeedStats(tuple(score(counts.sum(-2)).ravel().tolist()))


def _data(
    text: LabeledText, samples: Sequence[list[LabeledSentence]], test: list[LabeledSentence]
) -> dict[str, str]:
    sizes = ", ".join(f"{_num_tokens(sample)} tokens" for sample in samples)
    classes = [set(_labels(sample)) for sample in samples]
    num_unseen = [sum(label not in known for label in _labels(test)) for known in classes]
    label = f"{text.label}, {_by_sample(map(len, classes))} classes"
    if any(num_unseen):
        label += f"; {_by_sample(num_unseen)} test tokens have other labels and count as errors"
    return {
        "Trained on": f"{len(samples[0])} sentences of {text.train}: {sizes}",
        "Scored on": f"{len(test)} sentences of {text.test}, {_num_tokens(test)} tokens",
        "Label": label,
    }


def _by_sample(numbers: Iterable[int]) -> str:
    """Return the numbers of samples, or the one that all have."""
    found = list(numbers)
    return str(found[0]) if len(set(found)) == 1 else ", ".join(map(str, found))


def _figure(rows: list[list[Any]], title: str) -> Any:
    names = [layer_title(row[0], row[1]) for row in rows]
    groups = [row[0] for row in rows]
    return partial(dots, [row[3] for row in rows], names, groups, "accuracy (%)", title)


def beside_the_paper(table: Table) -> Table:
    """Add a column with the paper's accuracies."""
    rows = [[*row, published_score("Table 6", str(row[0]), str(row[1]))] for row in table.rows]
    columns = (*table.columns, PAPER_COLUMN)
    return replace(table, columns=columns, rows=rows, paper="Table 6")


def _counts_by_layer(
    same: Sequence[Representation],
    samples: Sequence[list[LabeledSentence]],
    test: list[LabeledSentence],
) -> Iterator[numpy.ndarray]:
    """Yield the counts of each layer. Shape (random weights, samples, sentences, 2)."""
    for of_layer in zip(*(probe_layers(one, samples, test) for one in same)):
        yield numpy.stack(of_layer)


def probe_layers(
    representation: Representation,
    samples: Sequence[list[LabeledSentence]],
    test: list[LabeledSentence],
) -> list[numpy.ndarray]:
    """Return the counts of each layer. Shape (samples, sentences, 2)."""
    name = representation.name
    test_vectors, test_labels = _vectors(representation, test, f"{name}, test"), _labels(test)
    sentences = [i for i, sentence in enumerate(test) for _ in sentence.tokens]
    counts: list[list[numpy.ndarray]] = [[] for _ in representation.layers]
    for train in samples:
        train_vectors = _vectors(representation, train, f"{name}, train")
        layers = list(zip(counts, train_vectors, test_vectors))
        for of_layer, x, y in progress(layers, f"{name}, classifiers", "layers"):
            correct = linear_probe(x, _labels(train), y, test_labels)
            pairs = numpy.stack([correct, numpy.ones_like(correct)], -1)
            of_layer.append(sum_by_group(pairs, sentences))
    return [numpy.stack(of_layer) for of_layer in counts]


def _vectors(
    representation: Representation, sentences: list[LabeledSentence], description: str
) -> numpy.ndarray:
    spans = [(i, k, k + 1) for i, s in enumerate(sentences) for k in range(len(s.tokens))]
    return span_vectors(representation, [s.tokens for s in sentences], spans, description)


def _labels(sentences: list[LabeledSentence]) -> list[str]:
    return [label for sentence in sentences for label in sentence.labels]


def _num_tokens(sentences: list[LabeledSentence]) -> int:
    return sum(len(sentence.tokens) for sentence in sentences)
