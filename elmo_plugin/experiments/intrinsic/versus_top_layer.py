"""Paired tests of representations against the biLM's top layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy

from elmo_plugin.experiments.intrinsic.representations import AVERAGE, BILM
from elmo_plugin.experiments.statistics.significance import compare
from elmo_plugin.reporting.tables import PValue

VERSUS_TOP = "p (vs. the biLM's top layer)"
P_OVER_SENTENCES = (
    "p is two-sided, from approximate randomization over test sentences, and not corrected for the "
    "number of rows; 0.0001 is the smallest that 10,000 exchanges can give"
)


def versus_top_layer(scored: Sequence[tuple[str, str, numpy.ndarray]]) -> list[Optional[PValue]]:
    """
    Test each row's difference from the biLM's top layer, by approximate randomization.

    # Parameters

    scored : `Sequence[Tuple[str, str, numpy.ndarray]]`
        Representation, layer and counts of each row, see `statistics.scores.score`. Shape of the
        counts: (seeds..., sentences, 2).

    # Returns

    `List[Optional[PValue]]` : p of each row; `None` for the top layer itself.
    """
    counts = [one.reshape(-1, *one.shape[-2:]) for _, _, one in scored]
    top = max(i for i, one in enumerate(scored) if one[0] == BILM and one[1] != AVERAGE)
    return [None if i == top else compare(one, counts[top]).p for i, one in enumerate(counts)]
