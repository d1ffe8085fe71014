"""`elmo report`, and its page in a browser."""

from functools import partial
from pathlib import Path

import pytest

from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.tables import SeedStats, Table
from tests.helpers.browser import CHROMIUM, look_at
from tests.helpers.command_line import elmo


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two tables, one with a figure and one wider than a phone, and a JSON file of another kind."""
    folder = tmp_path / "results"
    folder.mkdir()
    curve = Table("Curve", ["x", "y"], [[1, SeedStats((1.0, 3.0))], [2, 2.5]], {}, paper="Figure 1")
    draw = partial(lines, {"y": ([1, 2], [2.0, 2.5])}, "x", "y", "Curve")
    write_result(str(folder / "curve"), Result(curve, draw))
    words = [f"a column of words {i}" for i in range(20)]
    wide = Table("Wide", words, [words], {"Command": f"`{'long' * 100}`"})
    write_result(str(folder / "wide"), Result(wide))
    (folder / "other.json").write_text('{"seconds": 3}')
    (folder / "directory.json").mkdir()
    (folder / "dangling.json").symlink_to("nowhere")
    return folder


def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *tables: object) -> str:
    elmo(monkeypatch, "report", *tables, "--out", tmp_path / "report.html")
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def test_directory_stands_for_its_files(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report(monkeypatch, tmp_path, results)
    assert whole == report(monkeypatch, tmp_path, results / "curve.json", results / "wide.json")
    assert whole == report(monkeypatch, tmp_path, results, results / "curve.json")
    assert whole.count("<img") == 1
    assert "2.00 ± 1.41" in whole and "2.50" in whole


def test_invalid_tables_are_named(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=r"other\.json: title: expected a table as JSON"):
        report(monkeypatch, tmp_path, results / "other.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match="empty: expected tables, found none"):
        report(monkeypatch, tmp_path, tmp_path / "empty")
    with pytest.raises(SystemExit, match=r"missing\.json"):
        report(monkeypatch, tmp_path, results / "missing.json")
    (results / "broken.json").write_text("{")
    for path in (results / "broken.json", results):
        with pytest.raises(SystemExit, match=r"broken\.json: expected JSON"):
            report(monkeypatch, tmp_path, path)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_page_fits_a_phone(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html = report(monkeypatch, tmp_path, results)
    opened = html.replace("<details>", "<details open>")
    assert opened != html
    (tmp_path / "report.html").write_text(opened, encoding="utf-8")
    for found in look_at(tmp_path, ["report.html"], dark=False):
        assert found.overflow <= 0, found
