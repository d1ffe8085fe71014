"""`elmo report`, and its page in a browser."""

import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.tables import SeedStats, Table
from tests.helpers.command_line import elmo

BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
PHONE = 390
MEASURE = """
const page = document.documentElement
parent.document.title = [page.scrollWidth, page.clientWidth, innerWidth]
"""


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
    with pytest.raises(ConfigurationError, match=r"other\.json: title: expected a table as JSON"):
        report(monkeypatch, tmp_path, results / "other.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="empty: expected tables, found none"):
        report(monkeypatch, tmp_path, tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match=r"missing\.json"):
        report(monkeypatch, tmp_path, results / "missing.json")
    (results / "broken.json").write_text("{")
    for path in (results / "broken.json", results):
        with pytest.raises(ConfigurationError, match=r"broken\.json: expected JSON"):
            report(monkeypatch, tmp_path, path)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_page_fits_a_phone(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html = report(monkeypatch, tmp_path, results)
    # In a frame, because a browser's window may not be that narrow.
    inner = html.replace("<details>", "<details open>")
    inner = inner.replace("</body>", f"<script>{MEASURE}</script></body>")
    frame = f"<iframe width={PHONE} height=800 src='inner.html'></iframe>"
    (tmp_path / "inner.html").write_text(inner, encoding="utf-8")
    (tmp_path / "outer.html").write_text(f"<!DOCTYPE html><title>none</title>{frame}")
    assert BROWSER is not None
    flags = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        *("--no-first-run", "--disable-component-update", "--disable-sync", "--disable-quic"),
        *("--allow-file-access-from-files", "--virtual-time-budget=5000"),
        *("--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
    )
    shown = subprocess.run(
        [BROWSER, *flags, str(tmp_path / "outer.html")], capture_output=True, text=True, timeout=120
    )
    assert "CONSOLE" not in shown.stderr, shown.stderr
    found = re.search(r"<title>(\d+),(\d+),(\d+)</title>", shown.stdout)
    assert found is not None, shown.stdout
    needed, shown_width, window = map(int, found.groups())
    assert window == PHONE and needed == shown_width
