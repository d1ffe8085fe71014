"""How much less data and how much less training it takes (section 5.4, Figure 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def share_needed(shares: Sequence[float], scores: Sequence[float], target: float) -> float | None:
    """
    The least share of the training data whose score is `target`.

    # Parameters

    shares : `Sequence[float]`
        Growing.
    scores : `Sequence[float]`
        Of each share; between two shares on a straight line over the share's logarithm.
    target : `float`

    # Returns

    `float` : the first share, if that is enough; `None` if none is.
    """
    before: tuple[float, float] | None = None
    for share, score in zip(shares, scores):
        if score >= target:
            if before is None:
                return share
            part = (target - before[1]) / (score - before[1])
            return math.exp((1 - part) * math.log(before[0]) + part * math.log(share))
        before = (share, score)
    return None


def updates_needed(scores: Sequence[float], updates: int, target: float) -> int | None:
    """
    The number of updates after which a training first reaches `target`.

    # Parameters

    scores : `Sequence[float]`
        After each epoch.
    updates : `int`
        In an epoch.
    target : `float`

    # Returns

    `int` : of whole epochs; `None` if it never does.
    """
    for epoch, score in enumerate(scores, start=1):
        if score >= target:
            return epoch * updates
    return None
