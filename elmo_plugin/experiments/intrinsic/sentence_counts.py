"""Counts of tokens, summed up by sentence: the tokens of a sentence are not independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.reporting.tables import SeedStats


def sum_by_sentence(counts: numpy.ndarray, sentences: Sequence[int]) -> numpy.ndarray:
    """
    Sum the counts of tokens over each sentence.

    # Parameters

    counts : `numpy.ndarray`
        Shape (tokens, columns).
    sentences : `Sequence[int]`
        The sentence of each token.

    # Returns

    `numpy.ndarray` : the sums of sentences with tokens. Shape (sentences, columns).
    """
    _, rows = numpy.unique(sentences, return_inverse=True)
    sums = numpy.zeros((rows.max() + 1, counts.shape[1]))
    numpy.add.at(sums, rows, counts)
    return sums


def seed_stats(counts: numpy.ndarray) -> SeedStats:
    """Return the scores of counts of shape (seeds, instances, columns)."""
    return SeedStats(tuple(score(counts.sum(1)).tolist()))
