"""Links between Markdown files lead to files and headings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!\w+:)(?P<file>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def markdown_files() -> list[Path]:
    folders = (".github", "docs", "elmo_plugin", "examples", "fixtures", "results")
    found = (file for folder in folders for file in (ROOT / folder).rglob("*.md"))
    return sorted([*ROOT.glob("*.md"), *found])


def anchors(file: Path) -> set[str]:
    """Return the anchors of a file's headings, as GitHub and MyST name them."""
    headings = _HEADING.findall(_FENCE.sub("", file.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", markdown_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_links_lead_somewhere(file: Path) -> None:
    for link in _LINK.finditer(_FENCE.sub("", file.read_text(encoding="utf-8"))):
        target = (file.parent / link["file"]).resolve() if link["file"] else file
        assert target.exists(), link[0]
        assert not link["anchor"] or link["anchor"] in anchors(target), link[0]
