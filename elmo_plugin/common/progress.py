"""Progress of long work: a bar on a terminal, a line a minute in a log."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tqdm import tqdm

T = TypeVar("T")

_SECONDS_BETWEEN_LINES = 60.0


def progress(items: Iterable[T], description: str, unit: str) -> Iterable[T]:
    """
    Iterate and show the progress on standard error: as a bar on a terminal, otherwise as one line a
    minute.

    # Parameters

    items : `Iterable[T]`
    description : `str`
        Printed before the bar.
    unit : `str`
        What is counted, in the plural.
    """
    return tqdm(items, description, unit=f" {unit}", **_display())


@contextmanager
def progress_bar(
    total: int | None, description: str, unit: str
) -> Iterator[Callable[[int], object]]:
    """
    Show the progress, as `progress` does, and return a function to call with the number of items
    that have been finished.

    # Parameters

    total : `int` or `None`
        For the time left; `None` if unknown.
    description, unit : `str`
        See `progress`.
    """
    with tqdm(total=total, desc=description, unit=f" {unit}", **_display()) as bar:
        yield bar.update


class _Lines(io.StringIO):
    """Writes each state of a bar to standard error as a line."""

    def write(self, text: str) -> int:
        line = text.strip()
        if line:
            print(line, file=sys.stderr, flush=True)
        return len(text)


def _display() -> dict[str, Any]:
    if sys.stderr.isatty():
        return {}
    seconds = _SECONDS_BETWEEN_LINES
    return {"file": _Lines(), "mininterval": seconds, "maxinterval": seconds, "delay": seconds}
