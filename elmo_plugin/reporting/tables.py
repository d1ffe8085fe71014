"""Tables as Markdown to read and as JSON to compute with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any, Union


@dataclass(frozen=True)
class SeedStats:
    """A number measured several times, once a seed."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return mean(self.values)

    @property
    def sd(self) -> float | None:
        """Standard deviation of the sample; none of a single value."""
        return stdev(self.values) if len(self.values) > 1 else None


Cell = Union[str, int, float, SeedStats, None]


@dataclass(frozen=True)
class Table:
    """
    What a command found and how.

    # Parameters

    title : `str`
    columns : `Sequence[str]`
    rows : `Sequence[Sequence[Cell]]`
        As many cells each as there are columns; `None` for a cell that has no value.
    facts : `Mapping[str, Any]`, optional
        How the numbers came about: command, data, weights, seeds.
    digits : `int`, optional (default = `2`)
        After the decimal point, in Markdown, which also parts thousands. JSON has all.
    paper : `str`, optional (default = `""`)
        The table or figure of Peters et al. 2018 that it repeats, as in "Table 2".

    # Raises

    `ValueError` : a row of another length.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    digits: int = 2
    paper: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"{self.title}: expected {len(self.columns)} cells a row, got {list(row)}"
                )

    def markdown(self) -> str:
        """Title, table, and a list of the facts."""
        lines = [self.columns, ["---"] * len(self.columns)]
        # A bar would end the cell.
        lines += [[cell.replace("|", "\\|") for cell in row] for row in self.texts()]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        facts = "\n".join(f"- {name}: {fact}" for name, fact in self.fact_texts())
        return "\n\n".join(filter(None, [f"# {self.title}", table, facts])) + "\n"

    def texts(self) -> list[list[str]]:
        """The rows as people read them."""
        return [[self._text(cell) for cell in row] for row in self.rows]

    def fact_texts(self) -> list[tuple[str, str]]:
        return [(name, _fact(value)) for name, value in self.facts.items()]

    def json(self) -> str:
        """An object with title, facts and rows, each row an object by column."""
        rows = [dict(zip(self.columns, map(_value, row))) for row in self.rows]
        content = {
            "title": self.title,
            "paper": self.paper,
            "digits": self.digits,
            "columns": list(self.columns),
            "rows": rows,
            "facts": dict(self.facts),
        }
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"

    def _text(self, cell: Cell) -> str:
        if cell is None:
            return ""
        if isinstance(cell, SeedStats):
            spread = "" if cell.sd is None else f" ± {cell.sd:.{self.digits}f}"
            return f"{cell.mean:.{self.digits}f}{spread}"
        if isinstance(cell, float):
            return f"{cell:.{self.digits}f}"
        if isinstance(cell, int):
            return f"{cell:,}"
        return str(cell)


def _value(cell: Cell) -> Any:
    if isinstance(cell, SeedStats):
        return {"mean": cell.mean, "sd": cell.sd, "values": list(cell.values)}
    return cell


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
