"""The report and the built documentation in a browser, narrow and wide, light and dark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elmo_plugin.commands.dispatch import run_command
from tests.helpers.browser import CHROMIUM, look_at

ROOT = Path(__file__).parents[1]
SITE = Path(os.environ.get("DOCS_SITE", "none"))  # as `.ci/docs` built it
PAGES = ["docs/index", "docs/tutorial", "docs/embedding", "docs/tasks", "docs/migrating"]
PAGES += ["docs/reference/python", "docs/reference/command-line", "examples/tagger_with_elmo"]
PAGES += ["results/six_tasks", "docs/glossary"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
both_colors = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


def check(folder: Path, pages: list[str], dark: bool) -> None:
    for found in look_at(folder, pages, dark):
        assert found.is_dark == dark
        assert found.overflow <= 0, found
        assert not found.external, found
        assert not found.low_contrast, found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    run_command(["report", str(ROOT / "results"), "--out", str(folder / "report.html")])
    return folder


@both_colors
def test_report(report: Path, dark: bool) -> None:
    check(report, ["report.html"], dark)


@pytest.mark.skipif(not SITE.exists(), reason="needs `make docs`")
@both_colors
def test_documentation(dark: bool) -> None:
    check(SITE, [f"{page}.html" for page in PAGES], dark)


def test_faults_are_found(tmp_path: Path) -> None:
    faults = (
        '<p style="width: 2000px; color: #aaa">wide and pale</p><img src="http://a.test/b.png">'
    )
    (tmp_path / "page.html").write_text(f"<!doctype html><body>{faults}")
    for found in look_at(tmp_path, ["page.html"], dark=False):
        assert found.overflow > 0 and found.low_contrast
        assert found.external == ["http://a.test/b.png"]
    (tmp_path / "page.html").write_text("<!doctype html><script>missing()</script>")
    with pytest.raises(AssertionError, match="missing is not defined"):
        look_at(tmp_path, ["page.html"], dark=False)
