"""Paired tests of representations against the biLM's top layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from elmo_plugin.experiments.intrinsic.representations import AVERAGE, BILM
from elmo_plugin.experiments.statistics.significance import compare
from elmo_plugin.reporting.tables import Cell

VERSUS_TOP = ("difference from the biLM's top layer", "95% CI of the difference", "p")
P_OVER_SENTENCES = (
    "p is two-sided, from approximate randomization over test sentences, and not corrected for the "
    "number of rows; the smallest possible one is 0.0001, or 2/2^n for n sentences, if that is "
    "larger"
)


def versus_top_layer(
    scored: Sequence[tuple[str, str, numpy.ndarray]], shared_samples: bool = False
) -> list[list[Cell]]:
    """
    Compare each row with the biLM's top layer, see `statistics.significance.compare`.

    # Parameters

    scored : `Sequence[Tuple[str, str, numpy.ndarray]]`
        Representation, layer and counts of each row, see `statistics.scores.score`. Shape of the
        counts: (seeds..., sentences, 2).
    shared_samples : `bool`, optional (default = `False`)
        The last axis of seeds is of samples of training text that all rows share.

    # Returns

    `List[List[Cell]]` : each row's cells of `VERSUS_TOP`, empty for the top layer itself.
    """
    counts = [one for _, _, one in scored]
    top = max(i for i, one in enumerate(scored) if one[0] == BILM and one[1] != AVERAGE)
    found = [
        None if i == top else compare(counts[top], one, shared_seeds=shared_samples)
        for i, one in enumerate(counts)
    ]
    return [[None] * 3 if one is None else [one.gain, one.interval, one.p] for one in found]
