"""Progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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


@contextmanager
def progress_bar(
    total: int | None, description: str, unit: str
) -> Iterator[Callable[[int], object]]:
    """
    Show a progress bar, as `progress` does, and return a function to call with the number of items
    that have been finished.

    # Parameters

    total : `int` or `None`
        For the time left; `None` if unknown.
    description, unit : `str`
        See `progress`.
    """
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield lambda count: None
        return
    with tqdm(total=total, desc=description, unit=f" {unit}", disable=None) as bar:
        yield bar.update
