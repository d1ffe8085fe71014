"""Progress bars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], description: str, unit: str) -> Iterable[T]:
    """
    Iterate with a progress bar, if standard error is a terminal and tqdm is installed.

    # Parameters

    items : `Iterable[T]`
    description : `str`
        Printed before the bar.
    unit : `str`
        What is counted, in the plural.
    """
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return items
    return tqdm(items, description, unit=f" {unit}", disable=None)
