"""The report's summary: one sentence for each of the paper's results that the tables repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from elmo_plugin.reporting.names import layer_title, placement_title
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

Row = dict[str, Any]


class _Summary(NamedTuple):
    """The columns that a table needs, and the function that writes sentences about its rows."""

    columns: frozenset[str]
    sentences: Callable[[list[Row]], list[str]]


def summarize(tables: Sequence[Table]) -> list[str]:
    """Return what the tables show, from their cells; skip tables of another form."""
    found = []
    for paper, (columns, sentences) in _SUMMARIES.items():
        chosen = [one for one in tables if one.paper == paper and columns <= set(one.columns)]
        found += sentences([_row(table, row) for table in chosen for row in table.rows])
    return found


def _row(table: Table, cells: Sequence[Cell]) -> Row:
    values = (cell.mean if isinstance(cell, SeedStats) else cell for cell in cells)
    return {**dict(zip(table.columns, values)), "title": table.title}


def _scored(rows: list[Row], *columns: str) -> list[Row]:
    """Return the rows that have numbers in these columns."""
    return [row for row in rows if all(isinstance(row[c], (int, float)) for c in columns)]


def _by_title(rows: list[Row]) -> dict[str, list[Row]]:
    titles = dict.fromkeys(row["title"] for row in rows)
    return {title: [row for row in rows if row["title"] == title] for title in titles}


def _tasks(rows: list[Row]) -> list[str]:
    scored = _scored(rows, "baseline", "with ELMo")
    if not scored:
        return []
    gained = [row for row in scored if row["with ELMo"] > row["baseline"]]
    parts = [f"{row['task']} {row['baseline']:.1f} to {row['with ELMo']:.1f}" for row in scored]
    significant = sum(row.get("significant") == "yes" for row in gained)
    tested = f" ({significant} significantly)" if any("significant" in r for r in scored) else ""
    return [
        f"ELMo raises the mean score of {len(gained)} of {len(scored)} tasks{tested}: "
        f"{', '.join(parts)}."
    ]


def _layers(rows: list[Row]) -> list[str]:
    better = []
    for of_task in _by_title(_scored(rows, "gain")).values():
        last = [row["gain"] for row in of_task if row["layers"] == "last only"]
        mixes = [row["gain"] for row in of_task if str(row["layers"]).startswith("all")]
        if last and mixes:
            better.append(max(mixes) > last[0])
    if not better:
        return []
    tasks = f"{sum(better)} of {len(better)} tasks"
    return [
        f"The mean score of a mix of all layers is above that of the last one alone in {tasks}."
    ]


def _placements(rows: list[Row]) -> list[str]:
    best = {
        title: max(of_task, key=lambda row: row["gain"])
        for title, of_task in _by_title(_scored(rows, "gain")).items()
    }
    parts = [
        f"{title.rpartition(': ')[2]} {placement_title(str(row['configuration']))}"
        for title, row in best.items()
    ]
    return [f"Best placement by mean score: {', '.join(parts)}."] if parts else []


def _senses(rows: list[Row]) -> list[str]:
    return _rankings(rows, "F1")


def _labels(rows: list[Row]) -> list[str]:
    return _rankings(rows, "accuracy")


def _rankings(rows: list[Row], score: str) -> list[str]:
    """Return, for each table, the best layer of each representation, the best one first."""
    found = []
    for title, of_table in _by_title(_scored(rows, score)).items():
        best: dict[str, Row] = {}
        for row in sorted(of_table, key=lambda row: -row[score]):
            best.setdefault(row["representation"], row)
        parts = [
            f"{layer_title(name, str(row['layer'] or ''))}: {row[score]:.1f}"
            for name, row in best.items()
        ]
        found.append(f"{title}, {score}: {'; '.join(parts)}.")
    return found


def _fine_tuning(rows: list[Row]) -> list[str]:
    scored = _scored(rows, "before", "after one epoch")
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
