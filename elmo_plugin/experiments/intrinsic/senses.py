"""Which sense a word has, by the nearest of its senses' centroids (section 5.3, Table 5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy


class SenseCentroids:
    """
    1-nearest-neighbour by cosine over the mean vector of each sense, among the senses of the
    word's own lemma (section 5.3).

    # Parameters

    vectors : `numpy.ndarray`
        Of each training instance. Shape (instances, dim).
    lemmas, senses : `Sequence[str]`
        Of each training instance.

    # Raises

    `ValueError` : not as many of each, or none.
    """

    def __init__(
        self, vectors: numpy.ndarray, lemmas: Sequence[str], senses: Sequence[str]
    ) -> None:
        if not len(vectors) == len(lemmas) == len(senses) or not len(vectors):
            raise ValueError(
                "expected a vector, a lemma and a sense of each instance, "
                f"got {len(vectors)}, {len(lemmas)}, {len(senses)}"
            )
        pairs = list(zip(lemmas, senses))
        distinct = list(dict.fromkeys(pairs))
        number = {pair: i for i, pair in enumerate(distinct)}
        from sklearn.preprocessing import normalize

        # The sum's direction is the mean's.
        sums = numpy.zeros((len(distinct), vectors.shape[1]), vectors.dtype)
        numpy.add.at(sums, [number[pair] for pair in pairs], vectors)
        self._centroids = normalize(sums)
        self._senses = numpy.array([sense for _, sense in distinct])
        self._of_lemma: dict[str, list[int]] = defaultdict(list)
        for (lemma, _), i in number.items():
            self._of_lemma[lemma].append(i)

    def __contains__(self, lemma: str) -> bool:
        return lemma in self._of_lemma

    def predict(self, vectors: numpy.ndarray, lemma: str) -> list[str]:
        """
        # Parameters

        vectors : `numpy.ndarray`
            Of instances of one lemma. Shape (instances, dim).
        lemma : `str`

        # Returns

        `List[str]` : a sense of each instance; the one seen first where two are equally near.

        # Raises

        `ValueError` : a lemma that was never seen.
        """
        if lemma not in self:
            raise ValueError(f"expected a lemma of the training data, got {lemma!r}")
        from sklearn.preprocessing import normalize

        candidates = self._of_lemma[lemma]
        # Shape: (instances, senses). Rounded, or the last bits would decide among vectors that do
        # not depend on the sense, as static ones.
        similarities = (normalize(vectors) @ self._centroids[candidates].T).round(5)
        return self._senses[candidates][similarities.argmax(1)].tolist()


def predict_senses(
    centroids: SenseCentroids,
    vectors: numpy.ndarray,
    lemmas: Sequence[str],
    first_senses: Mapping[str, str],
) -> list[str | None]:
    """The sense of each instance; the first sense, if it is known, of lemmas never seen."""
    instances: dict[str, list[int]] = defaultdict(list)
    for i, lemma in enumerate(lemmas):
        instances[lemma].append(i)
    predicted: list[str | None] = [first_senses.get(lemma) for lemma in lemmas]
    for lemma, rows in instances.items():
        if lemma in centroids:
            for row, sense in zip(rows, centroids.predict(vectors[rows], lemma)):
                predicted[row] = sense
    return predicted


def most_frequent_senses(lemmas: Sequence[str], senses: Sequence[str]) -> dict[str, str]:
    """The sense that each lemma has most often, the one seen first where two are as frequent."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for lemma, sense in zip(lemmas, senses):
        counts[lemma][sense] += 1
    return {lemma: count.most_common(1)[0][0] for lemma, count in counts.items()}


class SenseScore(NamedTuple):
    """Fine-grained precision, recall and F1, in percent."""

    precision: float
    recall: float
    f1: float


def score_senses(predicted: Sequence[str | None], gold: Sequence[str]) -> SenseScore:
    """Precision over the instances that were answered, recall over all."""
    if not gold:
        raise ValueError("expected instances to score, got none")
    right = sum(p == g for p, g in zip(predicted, gold))
    answered = sum(p is not None for p in predicted)
    precision = 100 * right / answered if answered else 0.0
    recall = 100 * right / len(gold)
    return SenseScore(precision, recall, 200 * right / (answered + len(gold)))
