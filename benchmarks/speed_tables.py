"""Tables of speeds, which each run appends to a Markdown file."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from pathlib import Path

from elmo_plugin.reporting.provenance import with_provenance
from elmo_plugin.reporting.tables import Cell, Table


def append_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    metadata: dict[str, str],
    out: Path | None,
) -> None:
    """Print a table with its provenance; append it to `out`, if given."""
    load = {"Load at the end": f"{os.getloadavg()[0]:.1f}"}
    table = Table(title, columns, rows, {**metadata, **load})
    text = with_provenance(table).markdown()
    print(text)
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")


def ratio_cells(values: list[float], peer: list[float]) -> list[Cell]:
    """Ratio of the medians, and the ratio in each round."""
    rounds = ", ".join(f"{a / b:.2f}" for a, b in zip(values, peer))
    return [f"{statistics.median(values) / statistics.median(peer):.2f}", rounds]
