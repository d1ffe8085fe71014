"""The report's summary: one sentence for each of the paper's results that the tables repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from elmo_plugin.reporting.names import layer_title, placement_title
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

Row = dict[str, Any]


def summarize(tables: Sequence[Table]) -> list[str]:
    """Return what the tables show, from their cells; skip tables of another form."""
    found = []
    for paper, sentence in _SENTENCES.items():
        rows = [_row(table, row) for table in tables if table.paper == paper for row in table.rows]
        try:
            found.append(sentence(rows))
        except (KeyError, ValueError, ZeroDivisionError):
            continue
    return found


def _row(table: Table, cells: Sequence[Cell]) -> Row:
    values = (cell.mean if isinstance(cell, SeedStats) else cell for cell in cells)
    return {**dict(zip(table.columns, values)), "title": table.title}


def _numbers(rows: list[Row], *columns: str) -> list[Row]:
    """Return the rows that have numbers in these columns; raise a `ValueError` without any."""
    found = [row for row in rows if all(isinstance(row.get(c), (int, float)) for c in columns)]
    if not found:
        raise ValueError
    return found


def _tasks(rows: list[Row]) -> str:
    scored = _numbers(rows, "baseline", "with ELMo")
    gained = [row for row in scored if row["with ELMo"] > row["baseline"]]
    parts = [f"{row['task']} {row['baseline']:.1f} to {row['with ELMo']:.1f}" for row in scored]
    claimed = sum(row.get("p < 0.05") == "yes" for row in gained)
    tested = f" ({claimed} with p < 0.05)" if any("p < 0.05" in row for row in scored) else ""
    return (
        f"ELMo raises the mean score of {len(gained)} of {len(scored)} tasks{tested}: "
        f"{', '.join(parts)}."
    )


def _layers(rows: list[Row]) -> str:
    gains = _numbers(rows, "gain")
    last = {row["title"]: row["gain"] for row in gains if row["layers"] == "last only"}
    mixes = [row for row in gains if str(row["layers"]).startswith("all")]
    best = {t: max(row["gain"] for row in mixes if row["title"] == t) for t in last}
    better = sum(best[title] > gain for title, gain in last.items())
    _check(last)
    tasks = f"{better} of {len(last)} tasks"
    return f"The mean score of a mix of all layers is above that of the last one alone in {tasks}."


def _placements(rows: list[Row]) -> str:
    best: dict[str, Row] = {}
    for row in _numbers(rows, "gain"):
        title = row["title"]
        if title not in best or row["gain"] > best[title]["gain"]:
            best[title] = row
    parts = [
        f"{title.rpartition(': ')[2]} {placement_title(str(row['configuration']))}"
        for title, row in best.items()
    ]
    return f"Best placement by mean score: {', '.join(parts)}."


def _senses(rows: list[Row]) -> str:
    return f"Word senses, F1: {_best_by_representation(rows, 'F1')}."


def _parts_of_speech(rows: list[Row]) -> str:
    return f"Parts of speech, accuracy: {_best_by_representation(rows, 'accuracy')}."


def _best_by_representation(rows: list[Row], score: str) -> str:
    best: dict[str, Row] = {}
    for row in _numbers(rows, score):
        name = row["representation"]
        if name not in best or row[score] > best[name][score]:
            best[name] = row
    _check(best)
    ranked = sorted(best.values(), key=lambda row: -row[score])
    names = [layer_title(row["representation"], str(row["layer"] or "")) for row in ranked]
    return ", ".join(f"{name} {row[score]:.1f}" for name, row in zip(names, ranked))


def _fine_tuning(rows: list[Row]) -> str:
    after = next((column for row in rows for column in row if column.startswith("after")), "")
    scored = _numbers(rows, "before", after)
    lower = sum(row[after] < row["before"] for row in scored)
    return f"Fine-tuning lowers the perplexity of {lower} of {len(scored)} texts."


def _check(found: Any) -> None:
    if not found:
        raise ValueError


_SENTENCES: dict[str, Callable[[list[Row]], str]] = {
    "Table 1": _tasks,
    "Table 2": _layers,
    "Table 3": _placements,
    "Table 5": _senses,
    "Table 6": _parts_of_speech,
    "Table 7": _fine_tuning,
}
