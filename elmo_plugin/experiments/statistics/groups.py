"""Adds up the counts of instances that are not independent, such as the tokens of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy


def sum_by_group(counts: numpy.ndarray, groups: Sequence[int]) -> numpy.ndarray:
    """
    Add up the counts of each group. Statistics then draw a group's instances together.

    # Parameters

    counts : `numpy.ndarray`
        See `score`. Shape (instances, columns).
    groups : `Sequence[int]`
        The group of each instance.

    # Returns

    `numpy.ndarray` : in the order of the groups' numbers. Shape (groups, columns).
    """
    _, rows = numpy.unique(groups, return_inverse=True)
    sums = numpy.zeros((rows.max() + 1, counts.shape[1]))
    numpy.add.at(sums, rows, counts)
    return sums
