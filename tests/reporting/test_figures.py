"""Figures show the values that they are given."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy
import pytest

from elmo_plugin.reporting.figures import bars, heat_map, lines, save_figure

VALUES = numpy.array([[0.1, 0.9, 0.0], [0.5, 0.5, numpy.nan]])


def test_heat_map_shows_each_value() -> None:
    figure = heat_map(VALUES, ["a", "b"], ["x", "y", "z"], "title")
    [axes] = figure.axes
    [image] = axes.get_images()
    assert numpy.array_equal(image.get_array().filled(numpy.nan), VALUES, equal_nan=True)
    shown = {text.get_position(): text.get_text() for text in axes.texts}
    assert shown == {
        (column, row): f"{value:.2f}"
        for (row, column), value in numpy.ndenumerate(VALUES)
        if not numpy.isnan(value)
    }
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_bars_have_the_length_of_values_and_the_color_of_groups() -> None:
    figure = bars([1.0, 3.0, 2.0], ["p", "q", "r"], ["one", "two", "one"], "score", "title")
    [axes] = figure.axes
    assert [bar.get_width() for bar in axes.patches] == [1.0, 3.0, 2.0]
    colors = [bar.get_facecolor() for bar in axes.patches]
    assert colors[0] == colors[2] != colors[1]
    low, high = axes.get_xlim()
    assert low < 1.0 and high > 3.0


def test_lines_pass_through_points_that_are_ticks_of_a_logarithmic_axis() -> None:
    curves = {"a": ([10, 1000], [1.0, 2.0]), "b": ([100, 1000], [3.0, 4.0])}
    figure = lines(curves, "x", "y", "title", errors={"a": [0.5, 0.25]}, logarithmic=True)
    [axes] = figure.axes
    drawn = [line for line in axes.get_lines() if line.get_marker() == "o"]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in drawn] == list(
        curves.values()
    )
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "100", "1,000"]
    bars_of_a = axes.containers[0].lines[2][0].get_segments()
    assert [(low, high) for (_, low), (_, high) in bars_of_a] == [(0.5, 1.5), (1.75, 2.25)]


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_files_are_deterministic(kind: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        figure = heat_map(VALUES, ["a", "b"], ["x", "y", "z"], "title")
        save_figure(figure, tmp_path / name, kind)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_svg_has_no_external_links(tmp_path: Path) -> None:
    save_figure(bars([1.0], ["p"], ["g"], "score", "title"), tmp_path / "f.svg", "svg")
    root = ElementTree.parse(tmp_path / "f.svg").getroot()
    links = [v for e in root.iter() for k, v in e.attrib.items() if k.endswith("href")]
    assert all(link.startswith(("#", "data:")) for link in links)
