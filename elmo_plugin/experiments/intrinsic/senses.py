"""Word sense disambiguation by the nearest sense centroid (section 5.3, Table 5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy


class SenseCentroids:
    """
    1-nearest neighbor by cosine over the mean vector of each sense, among the senses of the word's
    lemma (section 5.3).

    # Parameters

    vectors : `numpy.ndarray`
        One per training instance. Shape (instances, dim).
    lemmas, senses : `Sequence[str]`
        One per training instance.

    # Raises

    `ValueError` : different numbers of these, or none.
    """

    def __init__(
        self, vectors: numpy.ndarray, lemmas: Sequence[str], senses: Sequence[str]
    ) -> None:
        if not len(vectors) == len(lemmas) == len(senses) or not len(vectors):
            raise ValueError(
                "expected a vector, a lemma and a sense per instance, "
                f"got {len(vectors)}, {len(lemmas)}, {len(senses)}"
            )
        from sklearn.preprocessing import normalize

        pairs = list(zip(lemmas, senses))
        # The most frequent first, for `predict`.
        rows = {pair: row for row, (pair, _) in enumerate(Counter(pairs).most_common())}
        # The sum has the direction of the mean.
        sums = numpy.zeros((len(rows), vectors.shape[1]), vectors.dtype)
        numpy.add.at(sums, [rows[pair] for pair in pairs], vectors)
        self._centroids = normalize(sums)
        self._senses = numpy.array([sense for _, sense in rows])
        self._rows_of_lemma: dict[str, list[int]] = defaultdict(list)
        for (lemma, _), row in rows.items():
            self._rows_of_lemma[lemma].append(row)

    def __contains__(self, lemma: str) -> bool:
        return lemma in self._rows_of_lemma

    def predict(self, vectors: numpy.ndarray, lemma: str) -> list[str]:
        """
        Predict the senses of instances of one lemma.

        # Parameters

        vectors : `numpy.ndarray`
            Shape (instances, dim).
        lemma : `str`

        # Returns

        `List[str]` : one sense per instance. Of equally near ones, the most frequent in the
            training data.

        # Raises

        `ValueError` : a lemma that the training data do not have.
        """
        if lemma not in self:
            raise ValueError(f"expected a lemma of the training data, got {lemma!r}")
        from sklearn.preprocessing import normalize

        candidates = self._rows_of_lemma[lemma]
        # Shape: (instances, senses). Rounded, so that the last bits do not decide between senses
        # with the same vector, as static vectors have.
        similarities = (normalize(vectors) @ self._centroids[candidates].T).round(5)
        return self._senses[candidates][similarities.argmax(1)].tolist()


def predict_senses(
    centroids: SenseCentroids,
    vectors: numpy.ndarray,
    lemmas: Sequence[str],
    first_senses: Mapping[str, str],
) -> list[str | None]:
    """Predict senses. A lemma without training data gets its first sense, if known."""
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
    """Return the most frequent sense of each lemma. Of equally frequent ones, the first."""
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
    """Score precision over the answered instances and recall over all."""
    if not gold:
        raise ValueError("expected instances to score, got none")
    right = sum(p == g for p, g in zip(predicted, gold))
    answered = sum(p is not None for p in predicted)
    precision = 100 * right / answered if answered else 0.0
    recall = 100 * right / len(gold)
    return SenseScore(precision, recall, 200 * right / (answered + len(gold)))
