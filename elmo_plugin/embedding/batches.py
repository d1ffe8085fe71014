"""Batches of sentences of similar length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from numbers import Integral
from typing import TypeVar

T = TypeVar("T")

MAX_BATCH_TOKENS = 4096
"""Bounds the memory of a batch, however long its sentences are, unless one alone is longer."""


def batches_by_length(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """
    Yield the indices of sentences, the longest first, in batches that hold little padding.

    # Parameters

    lengths : `Sequence[int]`
        Number of tokens per sentence; empty sentences are left out.
    batch_size : `int`
        Sentences per batch at most; fewer where they are long.

    # Raises

    `ValueError` : `batch_size` is below 1.
    """
    check_batch_size(batch_size)
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    order = [i for i in order if lengths[i]]
    start = 0
    while start < len(order):
        size = max(1, min(batch_size, MAX_BATCH_TOKENS // lengths[order[start]]))
        yield order[start : start + size]
        start += size


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """
    Yield consecutive lists of `size` items; the last may be shorter.

    # Raises

    `ValueError` : `size` is below 1.
    """
    check_batch_size(size)
    iterator = iter(items)
    while window := list(islice(iterator, size)):
        yield window


def check_batch_size(size: int) -> None:
    """Raise a `ValueError` for other than a positive integer."""
    if not isinstance(size, Integral) or size < 1:
        raise ValueError(f"batch_size: expected a positive integer, got {size!r}")
