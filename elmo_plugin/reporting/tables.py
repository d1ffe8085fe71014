"""Tables, as Markdown to read and as JSON to compute with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any, NamedTuple, Union

from elmo_plugin.common.json_text import to_json


@dataclass(frozen=True)
class SeedStats:
    """Measurements of one quantity, one per seed."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return mean(self.values)

    @property
    def sd(self) -> float | None:
        """Sample standard deviation; `None` for a single value."""
        return stdev(self.values) if len(self.values) > 1 else None


class Interval(NamedTuple):
    """A 95% CI, in the unit of the score."""

    low: float
    high: float

    def format(self, digits: int = 2) -> str:
        """Return both ends, with as many decimal places as `digits`."""
        return f"{self.low:.{digits}f} to {self.high:.{digits}f}"


class PValue(float):
    """A p-value, which has four decimal places in any table."""

    def __str__(self) -> str:
        return f"{float(self):.4f}"


Cell = Union[str, int, float, SeedStats, Interval, PValue, None]


@dataclass(frozen=True)
class Table:
    """
    Results, and the metadata that says how they were obtained.

    # Parameters

    title : `str`
    columns : `Sequence[str]`
    rows : `Sequence[Sequence[Cell]]`
        One cell per column; `None` for an empty one.
    metadata : `Mapping[str, Any]`, optional
        Command, data, weights, seeds and so on.
    digits : `int`, optional (default = `2`)
        Decimal places in Markdown. JSON keeps full precision.
    paper : `str`, optional (default = `""`)
        The table or figure of Peters et al. 2018 that this one corresponds to, as in "Table 2".

    # Raises

    `ValueError` : a row with another number of cells than columns, or columns of the same name.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    digits: int = 2
    paper: str = ""

    def __post_init__(self) -> None:
        if len(set(self.columns)) < len(self.columns):
            raise ValueError(
                f"{self.title}: columns: expected distinct names, got {[*self.columns]}"
            )
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"{self.title}: expected {len(self.columns)} cells per row, got {list(row)}"
                )

    def markdown(self) -> str:
        """Title, table, and a list of the metadata."""
        rows = (self.columns, *self.row_texts())
        lines = [[_one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
        lines.insert(1, ["---"] * len(self.columns))
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        metadata = "\n".join(_one_line(f"- {name}: {text}") for name, text in self.metadata_texts())
        return "\n\n".join(filter(None, [f"# {_one_line(self.title)}", table, metadata])) + "\n"

    def row_texts(self) -> list[list[str]]:
        """The cells, formatted for people."""
        return [[self._text(cell) for cell in row] for row in self.rows]

    def metadata_texts(self) -> list[tuple[str, str]]:
        """Names and values of the metadata, formatted for people."""
        return [(name, _plain_text(value)) for name, value in self.metadata.items()]

    def json(self) -> str:
        """An object with title, metadata and rows, each row an object by column."""
        rows = [dict(zip(self.columns, map(_json_value, row))) for row in self.rows]
        content = {
            "title": self.title,
            "paper": self.paper,
            "digits": self.digits,
            "columns": list(self.columns),
            "rows": rows,
            "metadata": dict(self.metadata),
        }
        return to_json(content, ensure_ascii=False, indent=2) + "\n"

    def _text(self, cell: Cell) -> str:
        if cell is None:
            return ""
        if isinstance(cell, SeedStats):
            sd = "" if cell.sd is None else f" ± {cell.sd:.{self.digits}f}"
            return f"{cell.mean:.{self.digits}f}{sd}"
        if isinstance(cell, Interval):
            return cell.format(self.digits)
        if isinstance(cell, float) and not isinstance(cell, PValue):
            return f"{cell:.{self.digits}f}"
        if isinstance(cell, int):
            return f"{cell:,}"
        return str(cell)


def _one_line(text: str) -> str:
    """Replace line breaks, which would end a cell or a title of Markdown."""
    return " ".join(text.splitlines())


def _plain_text(value: Any) -> str:
    """Write mappings as "a: 1; b (c: 2; d: 3); e (4, 5)"."""
    if isinstance(value, Mapping):
        pairs = [(name, one, _plain_text(one)) for name, one in value.items()]
        return "; ".join(
            f"{name} ({text})" if isinstance(one, (Mapping, list)) else f"{name}: {text}"
            for name, one, text in pairs
        )
    if isinstance(value, list):
        texts = [_plain_text(one) for one in value]
        return ("; " if any("," in text for text in texts) else ", ").join(texts)
    return str(value)


def _json_value(cell: Cell) -> Any:
    if isinstance(cell, SeedStats):
        return {"mean": cell.mean, "sd": cell.sd, "values": list(cell.values)}
    if isinstance(cell, Interval):
        return cell._asdict()
    if isinstance(cell, PValue):
        return {"p": float(cell)}
    return cell
