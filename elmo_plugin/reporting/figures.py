"""Figures of the tables' numbers, drawn by Matplotlib without a display."""

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
    A grid of coloured cells with their numbers, as in Figure 2.

    # Parameters

    values : `numpy.ndarray`
        From 0 to `highest`; NaN where there is none. Shape (rows, columns).
    rows, columns : `Sequence[str]`
        Their names.
    title : `str`
    highest : `float`, optional (default = `1.0`)
        The value of the darkest colour.
    """
    figure = _figure(2.5 + 0.8 * len(columns), 1.2 + _ROW_HEIGHT * len(rows))
    axes = figure.add_subplot()
    axes.imshow(values, cmap="Blues", vmin=0.0, vmax=highest, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    for (row, column), value in numpy.ndenumerate(values):
        if not numpy.isnan(value):
            colour = "white" if value > 0.6 * highest else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    return figure


def bars(
    values: Sequence[float], names: Sequence[str], groups: Sequence[str], label: str, title: str
) -> Figure:
    """
    One horizontal bar a value, the first on top, coloured by group.

    # Parameters

    values : `Sequence[float]`
    names, groups : `Sequence[str]`
        Of each value.
    label : `str`
        What the values are.
    title : `str`
    """
    colours = {group: f"C{i}" for i, group in enumerate(dict.fromkeys(groups))}
    figure = _figure(7.0, 1.2 + _ROW_HEIGHT * len(values))
    axes = figure.add_subplot()
    drawn = axes.barh(range(len(values)), values, color=[colours[group] for group in groups])
    axes.bar_label(drawn, fmt="%.1f", padding=3)
    axes.set_yticks(range(len(values)), names)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    # From zero the bars of close values look alike.
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
    Curves over a common axis, with a mark at each point.

    # Parameters

    curves : `Mapping[str, Tuple[Sequence[float], Sequence[float]]]`
        The x and y values of each, by its name.
    x_label, y_label, title : `str`
    errors : `Mapping[str, Sequence[float]]`, optional (default = `None`)
        Half the height of the bar at each point of a curve.
    logarithmic : `bool`, optional (default = `False`)
        The x axis, which then names each x value.
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
    """As "png" or "svg"; the same figure gives the same bytes."""
    from matplotlib import rc_context

    date = {"Date": None} if kind == "svg" else {}
    with rc_context({"svg.hashsalt": "elmo"}):
        figure.savefig(path, format=kind, dpi=150, metadata=date)


def check_matplotlib() -> None:
    """Raises a `ValueError` now, not after long work, where there is no Matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ValueError(f"figures: expected Matplotlib, found none ({error})") from error


def _figure(width: float, height: float) -> Figure:
    # Not from pyplot, which keeps figures and wants to know of a display.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
