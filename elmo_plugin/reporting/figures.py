"""Figures, drawn by Matplotlib without a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from elmo_plugin.reporting.styles import styles_of
from elmo_plugin.reporting.tables import SeedStats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW_HEIGHT = 0.32


def heat_map(
    values: numpy.ndarray, rows: Sequence[str], columns: Sequence[str], label: str, title: str
) -> Figure:
    """
    A grid of colored cells with their numbers, as in Figure 2. The scale goes from the smallest
    value to the largest.

    # Parameters

    values : `numpy.ndarray`
        NaN for an empty cell. Shape (rows, columns).
    rows, columns : `Sequence[str]`
        Labels.
    label : `str`
        Label of the color scale.
    title : `str`
    """
    figure = _figure(4.0 + 0.9 * len(columns), 1.4 + _ROW_HEIGHT * len(rows))
    axes = figure.add_subplot()
    image = axes.imshow(values, cmap="Blues", aspect="auto")
    low, high = image.get_clim()
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    figure.colorbar(image, label=label)
    for (row, column), value in numpy.ndenumerate(values):
        if not numpy.isnan(value):
            color = "white" if value > low + 0.6 * (high - low) else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=color)
    return figure


def dots(
    values: Sequence[float | SeedStats],
    names: Sequence[str],
    groups: Sequence[str],
    label: str,
    title: str,
) -> Figure:
    """
    A dot per row, from top to bottom, with its number. Several seeds give the mean, and an interval
    of one standard deviation to either side.

    # Parameters

    values : `Sequence[Union[float, SeedStats]]`
    names, groups : `Sequence[str]`
        One per value. Values of a group have one color and one marker, see `styles_of`.
    label : `str`
        Label of the value axis.
    title : `str`
    """
    styles = styles_of(groups)
    figure = _figure(7.0, 1.2 + _ROW_HEIGHT * len(values))
    axes = figure.add_subplot()
    for row, (value, group) in enumerate(zip(values, groups)):
        mean, sd = (value.mean, value.sd) if isinstance(value, SeedStats) else (value, None)
        color, marker = styles[group]
        axes.errorbar(mean, row, xerr=sd, color=color, marker=marker, capsize=3)
        end = (mean + (sd or 0.0), row)
        axes.annotate(f"{mean:.1f}", end, (8, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(values)), names)
    axes.invert_yaxis()
    has_bars = any(isinstance(value, SeedStats) and value.sd for value in values)
    axes.set_xlabel(f"{label}, ± standard deviation" if has_bars else label)
    axes.margins(x=0.12)
    axes.grid(axis="x", alpha=0.3)
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
        Standard deviation at each point, drawn as an error bar to either side.
    logarithmic : `bool`, optional (default = `False`)
        Use a logarithmic x axis with a tick at each point.
    """
    figure = _figure(7.0, 4.2)
    axes = figure.add_subplot()
    for (name, (x, y)), (color, marker) in zip(curves.items(), styles_of(curves).values()):
        interval = (errors or {}).get(name)
        axes.errorbar(x, y, yerr=interval, color=color, marker=marker, capsize=3, label=name)
    if logarithmic:
        axes.set_xscale("log")
        points = sorted({value for x, _ in curves.values() for value in x})
        axes.set_xticks(points, [f"{value:,}" for value in points])
        axes.set_xticks([], minor=True)
    axes.set_xlabel(x_label)
    has_bars = any(any(interval) for interval in (errors or {}).values())
    axes.set_ylabel(f"{y_label}, ± standard deviation" if has_bars else y_label)
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
