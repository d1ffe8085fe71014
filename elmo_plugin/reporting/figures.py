"""Figures, drawn by Matplotlib without a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW_HEIGHT = 0.32


def heat_map(
    values: numpy.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    highest: float = 1.0,
) -> Figure:
    """
    A grid of colored cells with their numbers, as in Figure 2.

    # Parameters

    values : `numpy.ndarray`
        From 0 to `highest`; NaN for an empty cell. Shape (rows, columns).
    rows, columns : `Sequence[str]`
        Labels.
    title : `str`
    highest : `float`, optional (default = `1.0`)
        The value of the darkest color.
    """
    figure = _figure(2.5 + 0.8 * len(columns), 1.2 + _ROW_HEIGHT * len(rows))
    axes = figure.add_subplot()
    axes.imshow(values, cmap="Blues", vmin=0.0, vmax=highest, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    for (row, column), value in numpy.ndenumerate(values):
        if not numpy.isnan(value):
            color = "white" if value > 0.6 * highest else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=color)
    return figure


def bars(
    values: Sequence[float], names: Sequence[str], groups: Sequence[str], label: str, title: str
) -> Figure:
    """
    Horizontal bars from top to bottom, colored by group.

    # Parameters

    values : `Sequence[float]`
    names, groups : `Sequence[str]`
        One per value.
    label : `str`
        Label of the value axis.
    title : `str`
    """
    colors = {group: f"C{i}" for i, group in enumerate(dict.fromkeys(groups))}
    figure = _figure(7.0, 1.2 + _ROW_HEIGHT * len(values))
    axes = figure.add_subplot()
    drawn = axes.barh(range(len(values)), values, color=[colors[group] for group in groups])
    axes.bar_label(drawn, fmt="%.1f", padding=3)
    axes.set_yticks(range(len(values)), names)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    # With an axis from zero, close values look alike.
    low, high = min(values), max(values)
    margin = 0.15 * (high - low) or 1.0
    axes.set_xlim(max(0.0, low - margin), high + margin)
    axes.set_title(title)
    return figure


def lines(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x_label: str,
    y_label: str,
    title: str,
    errors: Mapping[str, Sequence[float]] | None = None,
    logarithmic: bool = False,
) -> Figure:
    """
    Curves with a marker at each point.

    # Parameters

    curves : `Mapping[str, Tuple[Sequence[float], Sequence[float]]]`
        x and y values by name.
    x_label, y_label, title : `str`
    errors : `Mapping[str, Sequence[float]]`, optional (default = `None`)
        Half the height of the error bar at each point.
    logarithmic : `bool`, optional (default = `False`)
        Use a logarithmic x axis with a tick at each point.
    """
    figure = _figure(7.0, 4.2)
    axes = figure.add_subplot()
    for name, (x, y) in curves.items():
        axes.errorbar(x, y, yerr=(errors or {}).get(name), marker="o", capsize=3, label=name)
    if logarithmic:
        axes.set_xscale("log")
        points = sorted({value for x, _ in curves.values() for value in x})
        axes.set_xticks(points, [f"{value:,}" for value in points])
        axes.set_xticks([], minor=True)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def save_figure(figure: Figure, path: Path, kind: str) -> None:
    """Write "png" or "svg", deterministically."""
    from matplotlib import rc_context

    date = {"Date": None} if kind == "svg" else {}
    with rc_context({"svg.hashsalt": "elmo"}):
        figure.savefig(path, format=kind, dpi=150, metadata=date)


def check_matplotlib() -> None:
    """Raise `ModuleNotFoundError` if Matplotlib is missing: now, not after long work."""
    import matplotlib  # noqa: F401


def _figure(width: float, height: float) -> Figure:
    # pyplot would keep every figure and ask for a display.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
