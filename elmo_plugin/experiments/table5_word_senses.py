"""Table 5 (section 5.3): word sense disambiguation by the vectors of each layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Optional

import numpy

from elmo_plugin.data.senses import read_first_senses
from elmo_plugin.experiments.intrinsic.representations import (
    Representation,
    RepresentationConfig,
    all_representations,
)
from elmo_plugin.experiments.intrinsic.sense_predictions import Predicted, predict_by_layer
from elmo_plugin.experiments.intrinsic.sense_text import SenseText
from elmo_plugin.experiments.intrinsic.senses import most_frequent_senses, score_senses
from elmo_plugin.experiments.intrinsic.versus_top_layer import (
    P_OVER_SENTENCES,
    VERSUS_TOP,
    versus_top_layer,
)
from elmo_plugin.experiments.statistics.groups import sum_by_group
from elmo_plugin.experiments.statistics.significance import bootstrap_interval
from elmo_plugin.reporting.figures import dots
from elmo_plugin.reporting.names import layer_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.published_results import published_score
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

FIRST_SENSE = "first sense"
# "not the first sense" separates knowledge of senses from a preference for the first one. The
# paper's F1, on the evaluation sets of Raganato et al. 2017, compares by rank only.
COLUMNS = (
    *("representation", "layer", "precision", "recall", "F1", "95% CI", *VERSUS_TOP),
    *("ambiguous", "not the first sense", "paper F1"),
)

_SCORES = (
    "Of equally near senses, the most frequent one in the training text is chosen. Several gold "
    "senses of an instance count as one sense. Also F1 of lemmas with several senses in the "
    "training text (ambiguous), and of those of them whose sense is not the first. The paper's "
    "test sets are others, and its F1 is with WordNet's first senses for lemmas that the training "
    "text does not have, so it is not comparable. The interval is a bootstrap over test sentences "
    "and random weights."
)


def word_senses(
    train: str,
    test: str,
    config: RepresentationConfig,
    lemma: Optional[str] = None,
    first_senses: Optional[str] = None,
    centered: bool = False,
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
    centered : `bool`, optional (default = `False`)
        Also score vectors from which the mean of the training instances is subtracted, which tells
        apart vectors that share a large component.

    # Returns

    `Result` : scores of all words, of ambiguous lemmas, and of senses other than the first, over
    all random weights; and an interval of F1 by bootstrap over these and over test sentences.

    # Raises

    `ValueError` : no such lemma, or no lemma that is in both texts.
    """
    train_text, test_text = _read(train, test, lemma)
    first = read_first_senses(first_senses) if first_senses else {}
    representations = all_representations(config)
    scored = list(_rows(representations, train_text, test_text, first, centered))
    rows = [cells for cells, _ in scored]
    tested = [(str(name), str(layer), counts) for (name, layer, *_), counts in scored]
    start = COLUMNS.index(VERSUS_TOP[0])
    for cells, compared in zip(rows, versus_top_layer(tested)):
        cells[start:start] = compared
    metadata = {
        "Data": _data(train_text, test_text),
        "Scores": f"mean ± standard deviation over random weights. {_SCORES} {P_OVER_SENTENCES}",
        "First senses": first_senses or "the most frequent in the training text",
        "Weights": {name: [one.weights for one in same] for name, same in representations.items()},
        "Seed": config.seed,
    }
    title = f"Word senses{f' of {lemma}' if lemma else ''}: 1-nearest neighbor"
    # The paper's scores, in the last column, are those of all words.
    columns, paper = (COLUMNS[:-1], "") if lemma else (COLUMNS, "Table 5")
    table = Table(title, columns, [row[: len(columns)] for row in rows], metadata, paper=paper)
    return Result(table, _figure(rows, title))


def _read(train: str, test: str, lemma: Optional[str]) -> tuple[SenseText, SenseText]:
    train_text, test_text = (SenseText.read(file, lemma) for file in (train, test))
    if not set(train_text.lemmas) & set(test_text.lemmas):
        raise ValueError(f"{test}: expected lemmas of {train}, found none")
    return train_text, test_text


def _rows(
    representations: dict[str, list[Representation]],
    train: SenseText,
    test: SenseText,
    first: dict[str, str],
    centered: bool,
) -> Iterator[tuple[list[Cell], numpy.ndarray]]:
    """Yield the cells of each row but `VERSUS_TOP`, and the counts of its F1."""
    known = {**most_frequent_senses(train.lemmas, train.senses), **first}
    baseline = [known.get(lemma) for lemma in test.lemmas]
    ambiguous = _ambiguous(train, test)
    rare = [i for i in ambiguous if baseline[i] != test.senses[i]]

    def row(
        name: str, layer: str, predicted: Sequence[Predicted]
    ) -> tuple[list[Cell], numpy.ndarray]:
        scores = zip(*(score_senses(one, test.senses) for one in predicted))
        parts = ([_f1(part, one, test.senses) for one in predicted] for part in (ambiguous, rare))
        counts = numpy.stack([_counts(one, test) for one in predicted])
        interval = bootstrap_interval(counts)
        # The most frequent sense in the training text is not WordNet's first sense.
        is_papers = first or name != FIRST_SENSE
        published = published_score("Table 5", name, layer) if is_papers else None
        return [name, layer, *map(_cell, scores), interval, *map(_cell, parts), published], counts

    yield row(FIRST_SENSE, "", [baseline])
    for same in representations.values():
        # One at a time: the vectors of all random weights together take gigabytes.
        found = [predict_by_layer(one, train, test, first, centered) for one in same]
        for of_row in zip(*found):
            yield row(of_row[0].name, of_row[0].layer, [one.senses for one in of_row])


def _counts(predicted: Predicted, test: SenseText) -> numpy.ndarray:
    """Return the counts of F1 by sentence."""
    counts = [
        (2 * (sense == gold), 1 + (sense is not None))
        for sense, gold in zip(predicted, test.senses)
    ]
    return sum_by_group(numpy.array(counts), [one.sentence for one in test.instances])


def _cell(values: Iterable[Optional[float]]) -> Cell:
    """Return one number, or the numbers of several random weights."""
    found = [value for value in values if value is not None]
    if not found:
        return None
    return found[0] if len(found) == 1 else SeedStats(tuple(found))


def _figure(rows: list[list[Any]], title: str) -> Any:
    names = [layer_title(str(row[0]), str(row[1])) for row in rows]
    groups = [str(row[0]) for row in rows]
    scores: list[Any] = [row[4] for row in rows]
    return partial(dots, scores, names, groups, "F1 (%)", title)


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
