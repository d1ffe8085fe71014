"""Neighbors against scikit-learn's, and planted ones."""

import numpy
import pytest
from sklearn.neighbors import NearestNeighbors

from elmo_plugin.experiments.intrinsic.neighbors import Neighbors

GENERATOR = numpy.random.default_rng(0)
VECTORS = GENERATOR.normal(size=(500, 6)).astype("float32")
QUERIES = GENERATOR.normal(size=(5, 6)).astype("float32")


def test_as_scikit_learn_finds_them() -> None:
    rival = NearestNeighbors(n_neighbors=7, metric="cosine", algorithm="brute").fit(VECTORS)
    search = Neighbors(VECTORS)
    for query, distances, rows in zip(QUERIES, *rival.kneighbors(QUERIES)):
        found = search.nearest(query, 7)
        assert [one.row for one in found] == rows.tolist()
        assert [one.cosine for one in found] == pytest.approx((1 - distances).tolist(), abs=1e-5)


def test_a_vector_is_its_own_neighbour() -> None:
    [first] = Neighbors(VECTORS).nearest(3 * VECTORS[42], 1)
    assert first.row == 42
    assert first.cosine == pytest.approx(1)


def test_all_where_more_are_asked_for() -> None:
    found = Neighbors(VECTORS[:3]).nearest(VECTORS[0], 10)
    assert sorted(one.row for one in found) == [0, 1, 2]


def test_a_vector_of_another_size() -> None:
    with pytest.raises(ValueError, match=r"expected a vector of shape \(6,\), got \(5,\)"):
        Neighbors(VECTORS).nearest(VECTORS[0, :5], 1)
