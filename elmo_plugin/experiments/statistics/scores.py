"""Scores from counts of single instances: one row per instance, whose sum gives the score."""

from __future__ import annotations

import numpy

RATIO = 2
"""Columns of a ratio: numerator and denominator. Accuracy counts 1 of 1 for a correct instance, F1
twice the true positives of all predicted and gold items."""
MEAN_F1 = 4
"""Columns of an F1 whose precision and recall have counts of their own: numerator and denominator
of the precision, then of the recall. Several F1s, such as coreference's, are averaged."""

_TOLERANCE = 1e-6  # of fractional counts, such as B-cubed's


def score(sums: numpy.ndarray) -> numpy.ndarray:
    """
    Compute the score of a set of instances.

    # Parameters

    sums : `numpy.ndarray`
        Counts, summed over the instances. Shape (..., columns), with 2 columns for a ratio, or 4
        for each F1 of an average.

    # Returns

    `numpy.ndarray` : in percent. Shape (...).

    # Raises

    `ValueError` : another number of columns.
    """
    columns = sums.shape[-1]
    if columns == RATIO:
        return 100 * _ratio(sums[..., 0], sums[..., 1])
    if columns == 0 or columns % MEAN_F1:
        raise ValueError(f"counts: expected 2 columns or a multiple of 4, got {columns}")
    parts = sums.reshape(*sums.shape[:-1], columns // MEAN_F1, MEAN_F1)
    precision, recall = _ratio(parts[..., 0], parts[..., 1]), _ratio(parts[..., 2], parts[..., 3])
    return 100 * _ratio(2 * precision * recall, precision + recall).mean(-1)


def check_counts(counts: numpy.ndarray) -> None:
    """
    Raise `ValueError` for a numerator that is below 0 or above its denominator, in the next column.
    Shape (instances, columns).
    """
    numerators, denominators = counts[:, ::2], counts[:, 1::2]
    if numerators.shape != denominators.shape:
        return  # which `score` names
    for row, column in numpy.argwhere((numerators < 0) | (numerators > denominators + _TOLERANCE)):
        raise ValueError(
            f"counts: expected 0 to {denominators[row, column]:g} in column {2 * column + 1} of "
            f"text {row + 1}, found {numerators[row, column]:g}"
        )


def _ratio(numerator: numpy.ndarray, denominator: numpy.ndarray) -> numpy.ndarray:
    """Divide; 0 of 0 is 0."""
    return numerator / numpy.where(denominator == 0, 1, denominator)
