"""Renders docstrings in AllenNLP's style: Markdown, with headings such as `# Parameters`."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

_HEADING = re.compile(r"# (?P<title>\w+)$")
_NAMES = re.compile(r"(?P<names>[\w, ]+?) :(?P<rest> .*|$)")


class Markdown(Directive):
    """The directive `markdown`, for text in Markdown within reStructuredText."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        document = new_document(self.content.source(0), self.state.document.settings)
        MystParser().parse("\n".join(self.content), document)
        return document.children


def to_markdown(lines: list[str]) -> list[str]:
    """Convert a docstring: headings to rubrics, and entries below them to list items."""
    converted: list[str] = []
    within = False
    for i, line in enumerate(lines):
        heading = _HEADING.match(line)
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if heading:
            within = True
            converted += ["", f"```{{rubric}} {heading['title']}", "```", ""]
        elif within and _begins_entry(line, following):
            converted += ["", f"- {_emphasized(line)}" + ("\\" if following[:1] == " " else "")]
        elif within and line[:1] == " ":
            converted.append(f"  {line.strip()}")
        else:
            converted.append(line)
    return converted


def _begins_entry(line: str, following: str) -> bool:
    is_typed = line.startswith("`") and " : " in line
    return bool(_NAMES.match(line)) or is_typed or bool(line[:1].strip() and following[:1] == " ")


def _emphasized(line: str) -> str:
    match = _NAMES.match(line)
    if match:
        return f"**{match['names']}** :{match['rest']}"
    return line if line.startswith("`") else f"**{line}**"


def _process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    text = to_markdown(lines)
    lines[:] = [".. markdown::", "", *(f"   {line}" for line in text), ""] if any(text) else []


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("markdown", Markdown)
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
