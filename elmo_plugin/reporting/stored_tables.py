"""Reads tables back from their JSON."""

from __future__ import annotations

from typing import Any

from elmo_plugin.reporting.published_results import SUBJECTS
from elmo_plugin.reporting.tables import Cell, Interval, PValue, SeedStats, Table

KEYS = ("title", "columns", "rows", "metadata", "digits", "paper")
_MAX_DIGITS = 17  # enough to tell all floats apart
_MAX_VALUE = 1e150  # of larger ones the variance is infinite
_TYPE_NAMES = {list: "a list", dict: "an object", str: "a string", int: "an integer"}


def is_table(content: Any) -> bool:
    """Return True if `to_table` is to read the parsed JSON, though it may find it invalid."""
    return isinstance(content, dict) and {"title", "columns", "rows"} <= content.keys()


def to_table(content: Any) -> Table:
    """
    Build a table from the parsed output of `Table.json`.

    # Raises

    `ValueError` : invalid content; names the key, what was expected and what was found.
    """
    for key in KEYS:
        if key not in _checked(content, dict, "a table as JSON"):
            raise ValueError(f"{key}: expected a table as JSON, found none")
    columns = [
        _checked(name, str, "columns") for name in _checked(content["columns"], list, "columns")
    ]
    rows = enumerate(_checked(content["rows"], list, "rows"))
    return Table(
        _checked(content["title"], str, "title"),
        columns,
        [_cells(_checked(row, dict, f"rows[{i}]"), columns, f"rows[{i}]") for i, row in rows],
        _checked(content["metadata"], dict, "metadata"),
        _digits(content["digits"]),
        _paper(content["paper"]),
    )


def _cells(row: dict[str, Any], columns: list[str], key: str) -> list[Cell]:
    if row.keys() != set(columns):
        raise ValueError(f"{key}: expected the columns {columns!s:.80}, found {list(row)!s:.80}")
    return [_cell(row[column], f"{key}[{column!r}]") for column in columns]


def _cell(value: Any, key: str) -> Cell:
    # Exact types: isinstance takes a bool for an int.
    if type(value) in (str, type(None)) or _is_number(value):
        return value
    found = _object_cell(value) if isinstance(value, dict) else None
    if found is None:
        raise ValueError(
            f"{key}: expected a string, a number, null, or an object of numbers (mean, sd and "
            f"values; low and high; p), found {value!r:.80}"
        )
    return found


def _object_cell(value: dict[str, Any]) -> SeedStats | Interval | PValue | None:
    values = value.get("values")
    if isinstance(values, list) and values and all(map(_is_number, values)):
        return SeedStats(tuple(values))
    if not all(map(_is_number, value.values())):
        return None
    if value.keys() == set(Interval._fields):
        return Interval(**value)
    return PValue(value["p"]) if value.keys() == {"p"} else None


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < _MAX_VALUE


def _digits(value: Any) -> int:
    if _checked(value, int, "digits") not in range(_MAX_DIGITS + 1):
        raise ValueError(f"digits: expected from 0 to {_MAX_DIGITS}, found {value!r:.80}")
    return value


def _paper(value: Any) -> str:
    if _checked(value, str, "paper") not in (*SUBJECTS, ""):
        raise ValueError(
            f'paper: expected one of {", ".join(SUBJECTS)}, or "", found {value!r:.80}'
        )
    return value


def _checked(value: Any, kind: type, key: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{key}: expected {_TYPE_NAMES[kind]}, found {value!r:.80}")
    return value
