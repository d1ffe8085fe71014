"""Code blocks of the pages in docs/ and of the notebooks in examples/, in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.md"))

_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]*) -->\n)?"
    r"```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NAME = re.compile(r"// ([\w-]+\.(?:jsonnet|libsonnet))\n")
_PRINTED = re.compile(r"^ *print\(.*\)  # (?P<output>.*?)(?:: .*)?$", re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]+)`")


class Block(NamedTuple):
    """A fenced block, and why it is not run, if its page says so."""

    language: str
    text: str
    reason: str | None = None

    @property
    def is_run(self) -> bool:
        """True for commands and Python, unless the page says that they are not run."""
        return self.language in ("python", "sh") and self.reason is None

    @property
    def file_name(self) -> str | None:
        """The name in the first line of a Jsonnet block."""
        match = _NAME.match(self.text)
        return match[1] if match else None

    @property
    def printed(self) -> list[str]:
        """The output of each `print`, as the comment behind it says; up to a colon."""
        return [match["output"] for match in _PRINTED.finditer(self.text)]


def read_blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [Block(m["language"], m["text"], m["reason"]) for m in _BLOCK.finditer(text)]


def inline_code(page: Path) -> list[str]:
    """Return the code spans of a page."""
    return _INLINE.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))


def code_cells(notebook: Path) -> list[str]:
    """Return the code cells of a notebook."""
    return [block.text for block in read_blocks(notebook) if block.language == "{code-cell}"]


def name_of(page: Path) -> str:
    """The name of a page in the output of pytest."""
    return str(page.relative_to(ROOT))
