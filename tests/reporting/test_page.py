"""The page has all of the tables and is self-contained."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from elmo_plugin.reporting.page import ReportSection, page
from elmo_plugin.reporting.published_results import TABLES
from elmo_plugin.reporting.tables import SeedStats, Table

NASTY = "<script>alert('&amp;')</script>"
OURS = Table(
    NASTY,
    ["a < b", "score"],
    [["x & y", SeedStats((1.0, 2.0))], ["**bold** word", 3.25], [NASTY, None]],
    {"Command": "`elmo probe a|b`", "Seeds": [1, 2]},
)


class Seen(HTMLParser):
    """Texts by element, and attributes; checks that elements are nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "img"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def of(self, *tags: str) -> list[str]:
        return [text for tag, text in self.texts if tag in tags]


def test_cells_are_escaped_and_complete() -> None:
    seen = Seen(page([ReportSection(OURS, None)]))
    cells = seen.of("td", "b")
    for text in ("x & y", "1.50 ± 0.71", "bold", " word", "3.25", NASTY):
        assert text in cells
    assert NASTY in seen.of("h3") and "a < b" in seen.of("th")
    assert "elmo probe a|b" in seen.of("code") and "1, 2" in seen.of("dd")
    assert not seen.of("script")


def test_the_papers_tables_are_beside_ours_in_the_papers_order() -> None:
    names = ["Figure 1", "Table 6", "Table 2", ""]
    tables = [Table(f"ours {name}", ["a"], [[1]], paper=name) for name in names]
    seen = Seen(page([ReportSection(table, None) for table in tables]))
    headings = seen.of("h2")
    expected = [
        "Table 2: layer weighting",
        "Table 6: parts of speech",
        "Figure 1: sample efficiency",
    ]
    assert headings == [*expected, "Not in the paper"]
    assert seen.of("a") == headings
    for row in TABLES["Table 6"].row_texts():
        assert set(row) - {""} <= set(seen.of("td"))
    targets = {value for tag, name, value in seen.attributes if (tag, name) == ("a", "href")}
    ids = {f"#{value}" for _, name, value in seen.attributes if name == "id"}
    assert targets == ids


def test_page_is_self_contained(tmp_path: Path) -> None:
    svg = tmp_path / "figure.svg"
    svg.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    html = page([ReportSection(OURS, svg), ReportSection(OURS, None)])
    seen = Seen(html)
    sources = [value for _, name, value in seen.attributes if name in ("src", "href")]
    assert len([source for source in sources if source.startswith("data:image/svg+xml")]) == 1
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert not re.search(r"url\(|@import|https?://", html)


def test_the_papers_numbers_are_there_once() -> None:
    ours = Table("ours", ["task", "paper: baseline"], [["NER", 90.15]], paper="Table 1")
    cells = Seen(page([ReportSection(ours, None)])).of("td")
    assert cells.count("90.15") == 1 and cells.count("NER") == 2


def test_title_block_names_the_latest_date_and_each_machine() -> None:
    metadata = [
        {"Date": "2026-01-02", "Machine": "a; b"},
        {"Date": "2026-01-03", "Machine": "b; c"},
        {"Date": "2026-01-01", "Machine": {"c": ["baseline"], "d": ["baseline", "ELMo"]}},
    ]
    tables = [Table("ours", ["a"], [[1]], found) for found in metadata]
    seen = Seen(page([ReportSection(table, None) for table in tables]))
    assert seen.of("dd")[:2] == ["2026-01-03", "a; b; c; d"]


@pytest.mark.parametrize("text", ["1.50", "-3", "1,000", "44.14 ± 1.12"])
def test_numbers_are_aligned_right(text: str) -> None:
    assert f'<td data-label="a" class="number">{text}</td>' in page(
        [ReportSection(Table("t", ["a"], [[text]]), None)]
    )
