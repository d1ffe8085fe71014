"""Tables of speeds, which each run appends to a Markdown file."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import torch

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


def peer_columns(peers: Iterable[str], unit: str) -> list[str]:
    """Headings of `peer_cells`."""
    return [heading for peer in peers for heading in (f"{peer}, {unit}", f"ratio to {peer}")]


def peer_cells(
    values: Sequence[float], speeds: Mapping[str, Sequence[float]], peers: Iterable[str]
) -> list[Cell]:
    """Speed of each peer and the ratio to it; empty for one that is not installed."""
    cells: list[Cell] = []
    for peer in peers:
        found = peer in speeds
        cells += (
            [median_cell(speeds[peer]), ratio_cell(values, speeds[peer])] if found else ["", ""]
        )
    return cells


def median_cell(values: Sequence[float]) -> str:
    return f"{statistics.median(values):,.0f}"


def ratios_by_round(values: Sequence[float], peer: Sequence[float]) -> list[float]:
    return [a / b for a, b in zip(values, peer)]


def ratio_cell(values: Sequence[float], peer: Sequence[float]) -> str:
    """The median of the rounds' ratios, and each of them."""
    ratios = ratios_by_round(values, peer)
    rounds = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"{statistics.median(ratios):.2f} ({rounds})"


def largest_difference(
    found: torch.Tensor, expected: Mapping[str, torch.Tensor], precision: str
) -> str:
    """
    The largest absolute difference from any peer; for another precision than float32, the norm of
    the difference, relative to the norm.
    """
    errors = {peer: found - value for peer, value in expected.items()}
    if precision == "float32":
        return f"{max(error.abs().max().item() for error in errors.values()):.1e}"
    norms = [float(errors[peer].norm() / value.norm()) for peer, value in expected.items()]
    return f"{max(norms):.1e} of the norm"
