"""How much of a label a linear classifier reads from a vector (section 5.3, Table 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

# Weak enough to cost no accuracy, and strong enough that the optimizer arrives.
PENALTY = 10.0
MAX_ITERATIONS = 1000


def linear_probe(
    train_vectors: numpy.ndarray,
    train_labels: Sequence[str],
    test_vectors: numpy.ndarray,
    test_labels: Sequence[str],
) -> float:
    """
    Accuracy of scikit-learn's logistic regression. Each dimension is brought to mean 0 and
    variance 1 over the training data, so that layers of other scale are penalized alike.

    # Parameters

    train_vectors, test_vectors : `numpy.ndarray`
        Shape (tokens, dim).
    train_labels, test_labels : `Sequence[str]`
        One a token.

    # Returns

    `float` : percent of the test labels, those never seen in training included.

    # Raises

    `ValueError` : not one label a vector, no vectors, or one class only.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    for vectors, labels in ((train_vectors, train_labels), (test_vectors, test_labels)):
        if len(vectors) != len(labels) or not len(labels):
            raise ValueError(f"expected a label a vector, got {len(labels)} of {len(vectors)}")
    classes = set(train_labels)
    if len(classes) < 2:
        raise ValueError(f"labels: expected at least two classes to tell apart, got {classes}")
    classifier = LogisticRegression(C=1 / PENALTY, max_iter=MAX_ITERATIONS)
    probe = make_pipeline(StandardScaler(), classifier)
    probe.fit(train_vectors, train_labels)
    return 100 * float(probe.score(test_vectors, test_labels))
