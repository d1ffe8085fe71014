"""The report's summary: one sentence for each of the paper's results that the tables repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from elmo_plugin.reporting.names import layer_title, placement_title
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

Row = dict[str, Any]
_MIX = "all, lambda = 0.001"


class _Rows(NamedTuple):
    """The rows of a table."""

    title: str
    rows: list[Row]


class _Summary(NamedTuple):
    """The columns that a table needs, and the function that writes sentences about tables."""

    columns: frozenset[str]
    sentences: Callable[[list[_Rows]], list[str]]


def summarize(tables: Sequence[Table]) -> list[str]:
    """Return what the tables show, from their cells; skip tables of another form."""
    found = []
    for paper, (columns, sentences) in _SUMMARIES.items():
        chosen = [one for one in tables if one.paper == paper and columns <= set(one.columns)]
        found += sentences([_rows(table) for table in chosen])
    return found


def _rows(table: Table) -> _Rows:
    def value(cell: Cell) -> Any:
        return cell.mean if isinstance(cell, SeedStats) else cell

    return _Rows(table.title, [dict(zip(table.columns, map(value, row))) for row in table.rows])


def _scored(tables: list[_Rows], *columns: str) -> list[_Rows]:
    """Leave out rows without numbers in these columns, and tables without rows."""
    found = [
        _Rows(
            title, [row for row in rows if all(isinstance(row[c], (int, float)) for c in columns)]
        )
        for title, rows in tables
    ]
    return [table for table in found if table.rows]


def _tasks(tables: list[_Rows]) -> list[str]:
    found = []
    for title, rows in _scored(tables, "baseline", "with ELMo"):
        gained = [row for row in rows if row["with ELMo"] > row["baseline"]]
        parts = [f"{row['task']} {row['baseline']:.1f} to {row['with ELMo']:.1f}" for row in rows]
        significant = sum(row.get("significant") == "yes" for row in gained)
        tested = f" ({significant} significantly)" if _is_tested(rows) else ""
        found.append(
            f"{title}: the mean score rises in {len(gained)} of {len(rows)} tasks{tested}: "
            f"{', '.join(parts)}."
        )
    return found


def _layers(tables: list[_Rows]) -> list[str]:
    better = []
    for _, rows in _scored(tables, "gain"):
        last = [row["gain"] for row in rows if row["layers"] == "last only"]
        mix = [row["gain"] for row in rows if row["layers"] == _MIX]
        if last and mix:
            better.append(mix[0] > last[0])
    if not better:
        return []
    tasks = f"{sum(better)} of {len(better)} tasks"
    return [
        f"The mean score of a mix of all layers ({_MIX}) is above that of the last one alone in "
        f"{tasks}."
    ]


def _placements(tables: list[_Rows]) -> list[str]:
    found = []
    for title, rows in _scored(tables, "gain"):
        gains = [f"{placement_title(str(r['configuration']))} {r['gain']:+.1f}" for r in rows]
        significant = [
            placement_title(str(row["configuration"]))
            for row in rows
            if row.get("significant") == "yes"
        ]
        tested = f"; significant: {', '.join(significant) or 'none'}" if _is_tested(rows) else ""
        found.append(f"Gain by placement, {title.rpartition(': ')[2]}: {', '.join(gains)}{tested}.")
    return found


def _is_tested(rows: list[Row]) -> bool:
    """Return False if there are no test data, or one seed."""
    return any(row.get("significant") for row in rows)


def _senses(tables: list[_Rows]) -> list[str]:
    return _rankings(tables, "F1")


def _labels(tables: list[_Rows]) -> list[str]:
    return _rankings(tables, "accuracy")


def _rankings(tables: list[_Rows], score: str) -> list[str]:
    """Return, for each table, the best layer of each representation, the best one first."""
    found = []
    for title, rows in _scored(tables, score):
        best: dict[str, Row] = {}
        for row in sorted(rows, key=lambda row: -row[score]):
            best.setdefault(row["representation"], row)
        parts = [
            f"{layer_title(name, str(row['layer'] or ''))}: {row[score]:.1f}"
            for name, row in best.items()
        ]
        found.append(f"{title}, {score}: {'; '.join(parts)}.")
    return found


def _fine_tuning(tables: list[_Rows]) -> list[str]:
    scored = [row for table in _scored(tables, "before", "after one epoch") for row in table.rows]
    lower = sum(row["after one epoch"] < row["before"] for row in scored)
    texts = f"{lower} of {len(scored)} texts"
    return [f"Fine-tuning lowers the perplexity of {texts}."] if scored else []


_RANKED = frozenset({"representation", "layer"})
_SUMMARIES = {
    "Table 1": _Summary(frozenset({"task", "baseline", "with ELMo"}), _tasks),
    "Table 2": _Summary(frozenset({"layers", "gain"}), _layers),
    "Table 3": _Summary(frozenset({"configuration", "gain"}), _placements),
    "Table 5": _Summary(_RANKED | {"F1"}, _senses),
    "Table 6": _Summary(_RANKED | {"accuracy"}, _labels),
    "Table 7": _Summary(frozenset({"before", "after one epoch"}), _fine_tuning),
}
