"""Tables read back from their JSON."""

from __future__ import annotations

from typing import Any

from elmo_plugin.reporting.published_results import SUBJECTS
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

KEYS = ("title", "columns", "rows", "facts", "digits", "paper")
_MOST_DIGITS = 17  # which tell all floats apart
_LARGEST = 1e150
_KINDS = {list: "a list", dict: "an object", str: "a string", int: "a whole number"}


def to_table(content: Any) -> Table:
    """
    The table whose `json` was read into `content`.

    # Raises

    `ValueError` : it is none; names the key, what was expected there and what was found.
    """
    for key in KEYS:
        if key not in _of(dict, content, "a table as JSON"):
            raise ValueError(f"{key}: expected a table as JSON, found none")
    columns = [_of(str, name, "columns") for name in _of(list, content["columns"], "columns")]
    rows = enumerate(_of(list, content["rows"], "rows"))
    paper = _of(str, content["paper"], "paper")
    if paper not in (*SUBJECTS, ""):
        raise ValueError(
            f"paper: expected one of {', '.join(SUBJECTS)}, or none, found {paper!r:.80}"
        )
    return Table(
        _of(str, content["title"], "title"),
        columns,
        [_cells(_of(dict, row, f"rows[{i}]"), columns, f"rows[{i}]") for i, row in rows],
        _of(dict, content["facts"], "facts"),
        _digits(content["digits"]),
        paper,
    )


def _cells(row: dict[str, Any], columns: list[str], key: str) -> list[Cell]:
    if row.keys() != set(columns):
        raise ValueError(f"{key}: expected the columns {columns}, found {list(row)!s:.80}")
    return [_cell(row[column], f"{key}[{column!r}]") for column in columns]


def _cell(value: Any, key: str) -> Cell:
    # Exact types: a bool is an int to isinstance.
    if type(value) in (str, int, float, type(None)):
        return value
    values = value.get("values") if isinstance(value, dict) else None
    if isinstance(values, list) and values and all(map(_is_number, values)):
        return SeedStats(tuple(values))
    raise ValueError(
        f"{key}: expected a string, a number, null, or an object with mean, sd and values, found "
        f"{value!r:.80}"
    )


def _is_number(value: Any) -> bool:
    # Not so large that their variance were none.
    return type(value) in (int, float) and abs(value) < _LARGEST


def _digits(value: Any) -> int:
    if _of(int, value, "digits") not in range(_MOST_DIGITS + 1):
        raise ValueError(f"digits: expected from 0 to {_MOST_DIGITS}, found {value!r:.80}")
    return value


def _of(kind: type, value: Any, key: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{key}: expected {_KINDS[kind]}, found {value!r:.80}")
    return value
