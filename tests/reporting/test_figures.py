"""Figures show the values that they are given."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy
import pytest

from elmo_plugin.reporting.figures import dots, heat_map, lines, save_figure
from elmo_plugin.reporting.styles import styles_of
from elmo_plugin.reporting.tables import SeedStats

VALUES = numpy.array([[0.1, 0.9, 0.0], [0.5, 0.5, numpy.nan]])


def test_heat_map_shows_each_value() -> None:
    figure = heat_map(VALUES, ["a", "b"], ["x", "y", "z"], "weight", "title")
    axes = figure.axes[0]
    [image] = axes.get_images()
    assert numpy.array_equal(image.get_array().filled(numpy.nan), VALUES, equal_nan=True)
    shown = {text.get_position(): text.get_text() for text in axes.texts}
    assert shown == {
        (column, row): f"{value:.2f}"
        for (row, column), value in numpy.ndenumerate(VALUES)
        if not numpy.isnan(value)
    }
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_heat_map_uses_its_whole_scale() -> None:
    [axes] = heat_map(VALUES, ["a", "b"], ["x", "y", "z"], "weight", "title").axes[:1]
    [image] = axes.get_images()
    assert image.get_clim() == (0.0, 0.9)


def test_dots_are_at_the_values_with_intervals_and_the_style_of_groups() -> None:
    values = [1.0, SeedStats((2.0, 4.0)), 2.0]
    figure = dots(values, ["p", "q", "r"], ["biLM", "random biLM", "biLM"], "score", "title")
    [axes] = figure.axes
    drawn = [container.lines[0] for container in axes.containers]
    assert [tuple(line.get_xydata()[0]) for line in drawn] == [(1.0, 0), (3.0, 1), (2.0, 2)]
    [interval] = axes.containers[1].lines[2][0].get_segments()
    assert interval[:, 0] == pytest.approx([3 - 2**0.5, 3 + 2**0.5])
    looks = [(line.get_color(), line.get_marker()) for line in drawn]
    assert looks[0] == looks[2] != looks[1]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["p", "q", "r"]


def test_known_names_have_one_style_in_every_figure() -> None:
    assert styles_of(["x", "biLM"])["biLM"] == styles_of(["biLM", "CoVe"])["biLM"]
    found = styles_of(["biLM", "x", "y", "CoVe"])
    assert len(set(found.values())) == 4


def test_lines_pass_through_points_that_are_ticks_of_a_logarithmic_axis() -> None:
    curves = {"a": ([10, 1000], [1.0, 2.0]), "b": ([100, 1000], [3.0, 4.0])}
    figure = lines(curves, "x", "y", "title", errors={"a": [0.5, 0.25]}, logarithmic=True)
    [axes] = figure.axes
    drawn = [container.lines[0] for container in axes.containers]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in drawn] == list(
        curves.values()
    )
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "100", "1,000"]
    bars_of_a = axes.containers[0].lines[2][0].get_segments()
    assert [(low, high) for (_, low), (_, high) in bars_of_a] == [(0.5, 1.5), (1.75, 2.25)]


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_files_are_deterministic(kind: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        figure = heat_map(VALUES, ["a", "b"], ["x", "y", "z"], "weight", "title")
        save_figure(figure, tmp_path / name, kind)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_svg_has_no_external_links(tmp_path: Path) -> None:
    save_figure(dots([1.0], ["p"], ["g"], "score", "title"), tmp_path / "f.svg", "svg")
    root = ElementTree.parse(tmp_path / "f.svg").getroot()
    links = [v for e in root.iter() for k, v in e.attrib.items() if k.endswith("href")]
    assert links and all(link.startswith(("#", "data:")) for link in links)
