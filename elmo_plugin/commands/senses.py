"""`elmo senses`: which layer tells a word's senses apart (Table 5)."""

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_outputs
from elmo_plugin.data.senses import SenseInstance, read_first_senses, read_senses
from elmo_plugin.experiments.intrinsic.representations import (
    Representation,
    add_rival_arguments,
    all_representations,
    span_vectors,
)
from elmo_plugin.experiments.intrinsic.senses import (
    SenseCentroids,
    most_frequent_senses,
    predict_senses,
    score_senses,
)
from elmo_plugin.reporting.figures import bars
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, Table

FIRST_SENSE = "first sense"
# On the evaluation sets of Raganato et al. 2017: not to be compared, but to be ranked.
PAPER = {
    (FIRST_SENSE, ""): 65.9,
    ("CoVe", "1"): 59.4,
    ("CoVe", "2"): 64.7,
    ("biLM", "1"): 67.4,
    ("biLM", "2"): 69.0,
}
# The last but one keeps apart what a representation knows from how often it says the first sense.
COLUMNS = (
    *("representation", "layer", "precision", "recall", "F1"),
    *("ambiguous", "not the first sense", "paper F1"),
)


DESCRIPTION = """Give each word of a test text the sense whose mean vector in the training
    text is nearest, by each layer of a biLM, by a random biLM, by static vectors and by
    CoVe, and print fine-grained F1 beside that of the first sense; also of the words whose
    lemma has several senses in the training text, and of those among them that have not
    their first one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "train", type=arguments.path, help="a JSON object a line: tokens and senses"
    )
    parser.add_argument("test", type=arguments.path, help="likewise")
    parser.add_argument("--lemma", help="only words of this lemma and part of speech, as in play.n")
    parser.add_argument(
        "--first-senses",
        type=arguments.path,
        metavar="INDEX_SENSE",
        help="WordNet's index.sense. Without, a lemma's first sense is its most frequent one "
        "in the training text, and lemmas that are not there stay unanswered",
    )
    arguments.add_bilm_argument(parser)
    add_rival_arguments(parser)
    arguments.add_out_argument(parser)


class _Text(NamedTuple):
    file: str
    sentences: list[list[str]]
    instances: list[SenseInstance]

    @property
    def lemmas(self) -> list[str]:
        return [instance.lemma for instance in self.instances]

    @property
    def senses(self) -> list[str]:
        return [instance.sense for instance in self.instances]

    def vectors(self, representation: Representation) -> Any:
        spans = [(one.sentence, one.start, one.end) for one in self.instances]
        description = f"{representation.name}, {self.file}"
        return span_vectors(representation, self.sentences, spans, description)


def run(args: argparse.Namespace) -> None:
    check_out(args)
    train, test = (_read(file, args.lemma) for file in (args.train, args.test))
    if not set(train.lemmas) & set(test.lemmas):
        raise ConfigurationError(f"{test.file}: expected lemmas of {train.file}, found none")
    first = read_first_senses(args.first_senses) if args.first_senses else {}
    representations = all_representations(args)
    rows = list(_all_rows(representations, train, test, first))
    title = f"Word senses{f' of {args.lemma}' if args.lemma else ''}: 1-nearest-neighbour"
    table = Table(title, COLUMNS, rows, _facts(args, train, test, representations), paper="Table 5")
    figure = None
    if args.out:
        names = [f"{row[0]} {row[1]}".strip() for row in rows]
        groups = [str(row[0]) for row in rows]
        figure = bars([row[4] for row in rows], names, groups, "F1 (%)", title)
    write_outputs(args.out, table, figure)


def _read(file: str, lemma: Optional[str]) -> _Text:
    text = _Text(file, *read_senses(file))
    if lemma is None:
        return text
    chosen = [instance for instance in text.instances if instance.lemma == lemma]
    if not chosen:
        raise ConfigurationError(f"--lemma {lemma}: expected a lemma of {file}, found none there")
    return text._replace(instances=chosen)


def _all_rows(
    representations: list[Representation], train: _Text, test: _Text, first: dict[str, str]
) -> Iterator[list[Any]]:
    known = {**most_frequent_senses(train.lemmas, train.senses), **first}
    baseline = [known.get(lemma) for lemma in test.lemmas]
    ambiguous = _ambiguous(train, test)
    rare = [i for i in ambiguous if baseline[i] != test.senses[i]]

    def row(name: str, layer: str, predicted: list[Optional[str]]) -> list[Cell]:
        score = score_senses(predicted, test.senses)
        parts = [_f1_of(part, predicted, test.senses) for part in (ambiguous, rare)]
        return [name, layer, *score, *parts, PAPER.get((name, layer))]

    yield row(FIRST_SENSE, "", baseline)
    for one in representations:
        for layer, x, y in zip(one.layers, train.vectors(one), test.vectors(one)):
            centroids = SenseCentroids(x, train.lemmas, train.senses)
            yield row(one.name, layer, predict_senses(centroids, y, test.lemmas, first))


def _ambiguous(train: _Text, test: _Text) -> list[int]:
    """Which instances to score have a lemma of several senses in the training text."""
    senses_of = {lemma: set[str]() for lemma in train.lemmas}
    for instance in train.instances:
        senses_of[instance.lemma].add(instance.sense)
    return [i for i, lemma in enumerate(test.lemmas) if len(senses_of.get(lemma, ())) > 1]


def _f1_of(part: list[int], predicted: list[Optional[str]], gold: list[str]) -> Optional[float]:
    if not part:
        return None
    return score_senses([predicted[i] for i in part], [gold[i] for i in part]).f1


def _facts(
    args: argparse.Namespace, train: _Text, test: _Text, representations: list[Representation]
) -> dict[str, Any]:
    seen = set(train.lemmas)
    unseen = sum(lemma not in seen for lemma in test.lemmas)
    return {
        "Data": f"{len(train.instances)} senses in {len(train.sentences)} sentences of "
        f"{train.file} for the centroids; {len(test.instances)} in {len(test.sentences)} of "
        f"{test.file} to score, {unseen} of lemmas that the former has not",
        "First senses": args.first_senses or "the most frequent in the training text",
        "Weights": {one.name: one.weights for one in representations},
        "Seed": args.seed,
        **provenance(),
    }
