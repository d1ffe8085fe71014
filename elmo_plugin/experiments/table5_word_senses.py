"""Table 5 (section 5.3): word sense disambiguation by the vectors of each layer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple, Optional

import numpy

from elmo_plugin.data.senses import SenseInstance, read_first_senses, read_senses
from elmo_plugin.experiments.intrinsic.representations import (
    Representation,
    RepresentationConfig,
    all_representations,
)
from elmo_plugin.experiments.intrinsic.senses import (
    SenseCentroids,
    most_frequent_senses,
    predict_senses,
    score_senses,
)
from elmo_plugin.experiments.intrinsic.token_vectors import span_vectors
from elmo_plugin.reporting.figures import dots
from elmo_plugin.reporting.names import layer_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.published_results import published_score
from elmo_plugin.reporting.tables import Cell, Table

FIRST_SENSE = "first sense"
# "not the first sense" separates knowledge of senses from a preference for the first one. The
# paper's F1, on the evaluation sets of Raganato et al. 2017, compares by rank only.
COLUMNS = (
    *("representation", "layer", "precision", "recall", "F1"),
    *("ambiguous", "not the first sense", "paper F1"),
)


def word_senses(
    train: str,
    test: str,
    config: RepresentationConfig,
    lemma: Optional[str] = None,
    first_senses: Optional[str] = None,
) -> Result:
    """
    Give each word the sense with the nearest centroid, by each layer of each representation.

    # Parameters

    train, test : `str`
        Sense-tagged text; see `read_senses`.
    config : `RepresentationConfig`
    lemma : `str`, optional
        Only words of this lemma and part of speech, as in "play.n".
    first_senses : `str`, optional
        WordNet's index.sense. If not given, the most frequent sense in the training text is first.

    # Returns

    `Result` : scores of all words, of ambiguous lemmas, and of senses other than the first.

    # Raises

    `ValueError` : no such lemma, or no lemma that is in both texts.
    """
    train_text, test_text = _read(train, test, lemma)
    first = read_first_senses(first_senses) if first_senses else {}
    representations = all_representations(config)
    rows = list(_rows(representations, train_text, test_text, first))
    metadata = {
        "Data": _data(train_text, test_text),
        "First senses": first_senses or "the most frequent in the training text",
        "Weights": {one.name: one.weights for one in representations},
        "Seed": config.seed,
    }
    title = f"Word senses{f' of {lemma}' if lemma else ''}: 1-nearest neighbor"
    return Result(Table(title, COLUMNS, rows, metadata, paper="Table 5"), _figure(rows, title))


def _read(train: str, test: str, lemma: Optional[str]) -> tuple[SenseText, SenseText]:
    train_text, test_text = (SenseText.read(file, lemma) for file in (train, test))
    if not set(train_text.lemmas) & set(test_text.lemmas):
        raise ValueError(f"{test}: expected lemmas of {train}, found none")
    return train_text, test_text


class SenseText(NamedTuple):
    """Sense-tagged text."""

    file: str
    sentences: list[list[str]]
    instances: list[SenseInstance]

    @classmethod
    def read(cls, file: str, lemma: Optional[str] = None) -> SenseText:
        """Read a file, or only the instances of a lemma in it."""
        sentences, instances = read_senses(file)
        chosen = [one for one in instances if lemma is None or one.lemma == lemma]
        if not chosen:
            raise ValueError(f"--lemma {lemma}: expected a lemma of {file}, found none")
        return cls(file, sentences, chosen)

    @property
    def lemmas(self) -> list[str]:
        return [instance.lemma for instance in self.instances]

    @property
    def senses(self) -> list[str]:
        return [instance.sense for instance in self.instances]

    def vectors(self, representation: Representation) -> numpy.ndarray:
        """Return the instances' vectors. Shape (layers, instances, dim)."""
        spans = [(one.sentence, one.start, one.end) for one in self.instances]
        description = f"{representation.name}, {self.file}"
        return span_vectors(representation, self.sentences, spans, description)


def _rows(
    representations: list[Representation],
    train: SenseText,
    test: SenseText,
    first: dict[str, str],
) -> Iterator[list[Any]]:
    known = {**most_frequent_senses(train.lemmas, train.senses), **first}
    baseline = [known.get(lemma) for lemma in test.lemmas]
    ambiguous = _ambiguous(train, test)
    rare = [i for i in ambiguous if baseline[i] != test.senses[i]]

    def row(name: str, layer: str, predicted: list[Optional[str]]) -> list[Cell]:
        score = score_senses(predicted, test.senses)
        parts = [_f1(part, predicted, test.senses) for part in (ambiguous, rare)]
        return [name, layer, *score, *parts, published_score("Table 5", name, layer)]

    yield row(FIRST_SENSE, "", baseline)
    for one in representations:
        for layer, x, y in zip(one.layers, train.vectors(one), test.vectors(one)):
            centroids = SenseCentroids(x, train.lemmas, train.senses)
            yield row(one.name, layer, predict_senses(centroids, y, test.lemmas, first))


def _figure(rows: list[list[Any]], title: str) -> Any:
    names = [layer_title(row[0], row[1]) for row in rows]
    groups = [str(row[0]) for row in rows]
    return partial(dots, [row[4] for row in rows], names, groups, "F1 (%)", title)


def _ambiguous(train: SenseText, test: SenseText) -> list[int]:
    """Return the test instances whose lemma has several senses in the training text."""
    senses_of = {lemma: set[str]() for lemma in train.lemmas}
    for instance in train.instances:
        senses_of[instance.lemma].add(instance.sense)
    return [i for i, lemma in enumerate(test.lemmas) if len(senses_of.get(lemma, ())) > 1]


def _f1(part: list[int], predicted: list[Optional[str]], gold: list[str]) -> Optional[float]:
    if not part:
        return None
    return score_senses([predicted[i] for i in part], [gold[i] for i in part]).f1


def _data(train: SenseText, test: SenseText) -> str:
    seen = set(train.lemmas)
    unseen = sum(lemma not in seen for lemma in test.lemmas)
    return (
        f"{len(train.instances)} instances in {len(train.sentences)} sentences of {train.file} for "
        f"the centroids; {len(test.instances)} in {len(test.sentences)} of {test.file} for the "
        f"scores, {unseen} of them with lemmas that are not in the former"
    )
