"""Summarizes tables of speeds: the ratios to each peer, over the rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from elmo_plugin.reporting.tables import Cell

COLUMNS = ("measurement", "peer", "ratio", "smallest", "largest", "share of the matrix rate")
_UNIT = re.compile(r"(/s|, s)$")
_RATIO = re.compile(r"ratio to (.+)$")
_SHARE = COLUMNS[-1]
_NAMED = ("sentences", "word cache")
"""Columns whose cells need their name."""


def summary_rows(tables: list[Path]) -> list[list[Cell]]:
    """Return a row for each ratio to a peer in the Markdown files that exist."""
    return [row for table in tables if table.is_file() for row in _rows_of(table.read_text())]


def _rows_of(text: str) -> Iterator[list[Cell]]:
    title, header = "", list[str]()
    for line in text.splitlines():
        if line.startswith("# "):
            title, header = line[2:], []
        elif line.startswith("| ") and not header:
            header = _cells(line)
        elif line.startswith("| ") and not line.startswith("| ---"):
            yield from _ratios(title, dict(zip(header, _cells(line))))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _ratios(title: str, row: dict[str, str]) -> Iterator[list[Cell]]:
    """Yield a row for each ratio. The columns before the first speed or time say what it is of."""
    names = list(row)
    first = next(i for i, name in enumerate(names) if _UNIT.search(name))
    labels = [f"{row[name]} {name}" if name in _NAMED else row[name] for name in names[:first]]
    for name, cell in row.items():
        found = _RATIO.search(name)
        if found and "(" in cell:
            median, rounds = cell.rstrip(")").split(" (")
            values = [float(value) for value in rounds.split(", ")]
            when = [name[: found.start()].strip(", ")] if found.start() else []
            measurement = ", ".join([title, *labels, *when])
            yield [
                *(measurement, found[1], float(median), min(values), max(values)),
                row.get(_SHARE) or None,
            ]
