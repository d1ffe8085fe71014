"""Sense centroids, against scikit-learn's nearest neighbor and metrics."""

import numpy
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.neighbors import KNeighborsClassifier

from elmo_plugin.experiments.intrinsic.senses import (
    SenseCentroids,
    most_frequent_senses,
    predict_senses,
    score_senses,
)

GENERATOR = numpy.random.default_rng(0)
LEMMAS = ["play.n"] * 30 + ["bank.n"] * 30
SENSES = [f"{lemma}%{i % 3}" for i, lemma in enumerate(LEMMAS)]
VECTORS = GENERATOR.normal(size=(60, 5))
TEST = GENERATOR.normal(size=(40, 5))


@pytest.mark.parametrize("lemma", ["play.n", "bank.n"])
def test_nearest_centroid_is_of_the_same_lemma(lemma: str) -> None:
    senses = sorted({sense for sense in SENSES if sense.startswith(lemma)})
    of_sense = [[i for i, found in enumerate(SENSES) if found == sense] for sense in senses]
    means = [VECTORS[rows].mean(0) for rows in of_sense]
    nearest = KNeighborsClassifier(1, metric="cosine", algorithm="brute").fit(means, senses)

    predicted = SenseCentroids(VECTORS, LEMMAS, SENSES).predict(TEST, lemma)

    assert predicted == nearest.predict(TEST).tolist()
    assert len(set(predicted)) == 3


@pytest.fixture(autouse=True)
def _restart() -> None:
    """Draw the same numbers whichever tests are run before."""
    GENERATOR.bit_generator.state = numpy.random.default_rng(1).bit_generator.state


def test_vectors_that_contain_the_sense_score_perfectly() -> None:
    planted = numpy.eye(6)[[sorted(set(SENSES)).index(sense) for sense in SENSES]]
    noise = planted + 0.1 * GENERATOR.normal(size=planted.shape)
    centroids = SenseCentroids(planted, LEMMAS, SENSES)
    predicted = predict_senses(centroids, noise, LEMMAS, {})
    assert score_senses(predicted, SENSES).f1 == 100


def test_vectors_of_zeros_get_the_first_sense() -> None:
    """Zeros, in training and test data, are equally near to all."""
    vectors = numpy.array([[1.0, 0.0], [0.0, 0.0]])
    centroids = SenseCentroids(vectors, ["play.n"] * 2, ["sport", "theatre"])
    found = centroids.predict(numpy.array([[2.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]), "play.n")
    assert found == ["sport", "theatre", "sport"]


def test_senses_with_equal_vectors_are_chosen_by_order() -> None:
    """Static vectors are equal for all senses; their means differ by rounding alone."""
    word = GENERATOR.normal(size=64).astype("float32")
    senses = [f"play.n%{i}" for i in (2, 0, 1) for _ in range(3 + i)]
    centroids = SenseCentroids(numpy.tile(word, (len(senses), 1)), ["play.n"] * len(senses), senses)
    found = centroids.predict(numpy.outer(GENERATOR.uniform(1, 2, 50), word), "play.n")
    assert found == ["play.n%2"] * 50


def test_lemma_without_training_data() -> None:
    centroids = SenseCentroids(VECTORS, LEMMAS, SENSES)
    with pytest.raises(ValueError, match=r"expected a lemma of the training data, got 'run\.v'"):
        centroids.predict(TEST, "run.v")
    lemmas = ["run.v", "play.n", "go.v"]
    first = {"run.v": "run.v%1", "play.n": "never said"}
    predicted = predict_senses(centroids, TEST[:3], lemmas, first)
    assert predicted == ["run.v%1", *centroids.predict(TEST[1:2], "play.n"), None]


def test_most_frequent_sense() -> None:
    lemmas = ["a", "a", "a", "b", "b"]
    assert most_frequent_senses(lemmas, ["2", "1", "1", "y", "x"]) == {"a": "1", "b": "y"}


def test_scores_are_scikit_learns_micro_averages() -> None:
    gold = list("abcabcabca")
    predicted = [None if i % 4 == 3 else sense for i, sense in enumerate("abbaccabcb")]
    # Unanswered instances get a class of their own, which is not scored.
    given = {
        "y_true": gold,
        "y_pred": [p or "none" for p in predicted],
        "labels": ["a", "b", "c"],
        "average": "micro",
    }
    expected = [100 * score(**given) for score in (precision_score, recall_score, f1_score)]
    assert score_senses(predicted, gold) == pytest.approx(expected)


def test_no_answers_score_zero() -> None:
    assert score_senses([None], ["a"]) == (0, 0, 0)
    with pytest.raises(ValueError, match="expected instances"):
        score_senses([], [])


def test_numbers_of_vectors_and_instances_differ() -> None:
    with pytest.raises(ValueError, match="got 60, 59, 60"):
        SenseCentroids(VECTORS, LEMMAS[1:], SENSES)
