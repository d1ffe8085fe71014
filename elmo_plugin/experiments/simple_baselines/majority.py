"""The most frequent class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def most_frequent(labels: Sequence[str]) -> str:
    """Return the most frequent label; of equally frequent ones, the first."""
    return Counter(labels).most_common(1)[0][0]
