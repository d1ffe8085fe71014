"""Nearest neighbors against scikit-learn's, and known ones."""

import numpy
import pytest
from sklearn.neighbors import NearestNeighbors

from elmo_plugin.experiments.intrinsic.neighbors import nearest

GENERATOR = numpy.random.default_rng(0)
VECTORS = GENERATOR.normal(size=(500, 6)).astype("float32")
QUERIES = GENERATOR.normal(size=(5, 6)).astype("float32")


def test_neighbors_are_scikit_learns() -> None:
    reference = NearestNeighbors(n_neighbors=7, metric="cosine", algorithm="brute").fit(VECTORS)
    for query, distances, rows in zip(QUERIES, *reference.kneighbors(QUERIES)):
        found = nearest(VECTORS, query, 7)
        assert [one.row for one in found] == rows.tolist()
        assert [one.cosine for one in found] == pytest.approx((1 - distances).tolist(), abs=1e-5)


def test_vector_is_its_own_neighbor() -> None:
    [first] = nearest(VECTORS, 3 * VECTORS[42], 1)
    assert first.row == 42
    assert first.cosine == pytest.approx(1)


def test_all_rows_if_more_are_requested() -> None:
    found = nearest(VECTORS[:3], VECTORS[0], 10)
    assert sorted(one.row for one in found) == [0, 1, 2]


def test_vector_of_another_size() -> None:
    with pytest.raises(ValueError, match=r"expected a vector of shape \(6,\), got \(5,\)"):
        nearest(VECTORS, VECTORS[0, :5], 1)


def test_equal_rows_are_in_their_order() -> None:
    vectors = numpy.tile(VECTORS[:10], (5, 1))
    found = nearest(vectors, VECTORS[3], 4)
    assert [one.row for one in found] == [3, 13, 23, 33]


def test_vector_of_zeros_is_orthogonal_to_all() -> None:
    found = nearest(numpy.zeros((2, 6), "float32"), VECTORS[0], 2)
    assert [(one.row, one.cosine) for one in found] == [(0, 0.0), (1, 0.0)]
