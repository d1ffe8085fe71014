"""Linear probes: how well a linear classifier predicts a label from a vector (section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

# Small enough not to reduce accuracy, and large enough for the optimizer to converge.
PENALTY = 10.0
MAX_ITERATIONS = 1000


def linear_probe(
    train_vectors: numpy.ndarray,
    train_labels: Sequence[str],
    test_vectors: numpy.ndarray,
    test_labels: Sequence[str],
) -> numpy.ndarray:
    """
    Train and score scikit-learn's logistic regression. Each dimension is standardized over the
    training data, so that layers of different scale are penalized alike.

    # Parameters

    train_vectors, test_vectors : `numpy.ndarray`
        Shape (tokens, dim).
    train_labels, test_labels : `Sequence[str]`
        One per token.

    # Returns

    `numpy.ndarray` : 1 for each test token whose label is predicted, 0 for others, also for labels
    that training does not have. Shape (tokens,).

    # Raises

    `ValueError` : different numbers of labels and vectors, no vectors, or a single class.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    for vectors, labels in ((train_vectors, train_labels), (test_vectors, test_labels)):
        if len(vectors) != len(labels) or not len(labels):
            raise ValueError(f"expected one label per vector, got {len(labels)} of {len(vectors)}")
    classes = set(train_labels)
    if len(classes) < 2:
        raise ValueError(f"labels: expected at least two classes, got {classes}")
    classifier = LogisticRegression(C=1 / PENALTY, max_iter=MAX_ITERATIONS)
    probe = make_pipeline(StandardScaler(), classifier)
    probe.fit(train_vectors, train_labels)
    return (probe.predict(test_vectors) == numpy.array(test_labels)).astype(float)
