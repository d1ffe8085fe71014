"""Tables and figures on one HTML page that needs nothing beside itself."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from elmo_plugin.reporting.published_results import FINDINGS, SUBJECTS, TABLES
from elmo_plugin.reporting.tables import Table

TITLE = "ELMo: what the layers learned"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 0 auto; padding: 1rem; }
p, dl { max-width: 34rem; }
.beside { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: flex-start; }
.beside > * { max-width: 100%; box-sizing: border-box; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0; font-size: 0.9rem; }
th, td { padding: 0.25rem 0.7rem; text-align: left; border-bottom: 1px solid #8886; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
img { max-width: 100%; background: white; }
aside { border-left: 4px solid #8886; padding-left: 1rem; }
details { font-size: 0.85rem; }
dd, code { overflow-wrap: anywhere; }
"""


class ReportSection(NamedTuple):
    """A table of ours, and its figure as SVG, if there is one."""

    table: Table
    figure: Path | None


def page(exhibits: Sequence[ReportSection]) -> str:
    """
    HTML in the order of the paper's tables and figures, each beside the paper's own; then what is
    ours alone. Figures are part of it, and it has no script.
    """
    sections = [
        (name.lower().replace(" ", "-"), f"{name}: {subject}", _section(name, exhibits))
        for name, subject in SUBJECTS.items()
        if any(one.table.paper == name for one in exhibits)
    ]
    rest = [one for one in exhibits if one.table.paper not in SUBJECTS]
    if rest:
        sections.append(("ours", "Not in the paper", "".join(map(_exhibit, rest))))
    contents = "".join(f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name, _ in sections)
    body = "".join(
        f'<section id="{key}"><h2>{escape(name)}</h2>{content}</section>'
        for key, name, content in sections
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}</title><style>{_STYLE}</style></head><body><h1>{TITLE}</h1>"
        f"<nav><ul>{contents}</ul></nav>{body}</body></html>\n"
    )


def _section(name: str, exhibits: Sequence[ReportSection]) -> str:
    ours = "".join(_exhibit(one) for one in exhibits if one.table.paper == name)
    paper = f"<aside><h3>In the paper</h3>{_paper(name)}</aside>"
    return f'<div class="beside"><div>{ours}</div>{paper}</div>'


def _paper(name: str) -> str:
    if name in FINDINGS:
        return f"<p>{escape(FINDINGS[name])}</p>"
    return f"<p>{escape(TABLES[name].title)}</p>{_table(TABLES[name])}"


def _exhibit(exhibit: ReportSection) -> str:
    table = exhibit.table
    facts = "".join(
        f"<dt>{escape(name)}</dt><dd>{_with_code(fact)}</dd>" for name, fact in table.fact_texts()
    )
    figure = "" if exhibit.figure is None else _figure(exhibit.figure, table.title)
    return (
        f"<h3>{_with_code(table.title)}</h3>{_table(table)}{figure}"
        f"<details><summary>How</summary><dl>{facts}</dl></details>"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.texts())
    return f'<div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'


def _cell(text: str) -> str:
    is_number = re.fullmatch(r"[-+]?[\d.,]+( ± [\d.,]+)?", text)
    start = '<td class="number">' if is_number else "<td>"
    return f"{start}{_with_bold(text)}</td>"


def _figure(svg: Path, title: str) -> str:
    # As an image, for the names inside one SVG would be taken for those of another.
    content = base64.b64encode(svg.read_bytes()).decode()
    return f'<p><img alt="{escape(title)}" src="data:image/svg+xml;base64,{content}"></p>'


def _with_code(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _with_bold(text: str) -> str:
    """The words that a table in Markdown has between asterisks."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text))
