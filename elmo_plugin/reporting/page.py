"""A self-contained HTML page of tables and figures."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from elmo_plugin.reporting.captions import CAPTIONS
from elmo_plugin.reporting.published_results import FINDINGS, SUBJECTS, TABLES
from elmo_plugin.reporting.summary import summarize
from elmo_plugin.reporting.tables import Table

if TYPE_CHECKING:
    from markupsafe import Markup

TITLE = "ELMo: results beside those of the paper"
_NUMBER = re.compile(r"[-+]?[\d.,]+( ± [\d.,]+)?")


class ReportSection(NamedTuple):
    """One of our tables, and the SVG file of its figure if it has one."""

    table: Table
    figure: Path | None


class _Group(NamedTuple):
    """Our sections on one table or figure of the paper, and the paper's result."""

    id: str
    heading: str
    sections: list[ReportSection]
    caption: str | None = None
    finding: str | None = None
    published: Table | None = None


def page(sections: Sequence[ReportSection]) -> str:
    """
    Render a summary, then tables in the order of the paper's, each with the paper's result,
    followed by those that the paper does not have. Figures are embedded, and there is no script.
    """
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(autoescape=True, loader=loader)
    environment.filters.update(bold=_bold, code=_code, data_url=_data_url)
    environment.tests["numeric"] = _NUMBER.fullmatch
    environment.globals["zip"] = zip
    template = environment.get_template("page.html")
    tables = [section.table for section in sections]
    content = {
        "metadata": _metadata(tables),
        "findings": summarize(tables),
        "groups": _groups(sections),
    }
    return template.render(title=TITLE, **content).lstrip() + "\n"


def _metadata(tables: Sequence[Table]) -> list[tuple[str, list[str]]]:
    """Return the latest date and the machines that the tables' metadata name."""
    found = {
        "Date": sorted(_distinct(tables, "Date"))[-1:],
        "Machine": _distinct(tables, "Machine"),
    }
    return [(name, values) for name, values in found.items() if values]


def _distinct(tables: Sequence[Table], key: str) -> list[str]:
    """Return the values in the tables' metadata; of an object there, its keys."""
    values = [table.metadata[key] for table in tables if key in table.metadata]
    flat = [v for value in values for v in (value if isinstance(value, dict) else [value])]
    # A table of runs on several machines has them in one text.
    return list(dict.fromkeys(part for value in flat for part in str(value).split("; ")))


def _groups(sections: Sequence[ReportSection]) -> list[_Group]:
    by_subject: dict[str, list[ReportSection]] = {name: [] for name in (*SUBJECTS, "")}
    for section in sections:
        name = section.table.paper
        if name in TABLES:
            section = _without_published(section)
        by_subject[name if name in SUBJECTS else ""].append(section)
    groups = [
        _Group(
            name.lower().replace(" ", "-"),
            f"{name}: {subject}",
            by_subject[name],
            CAPTIONS[name],
            FINDINGS.get(name),
            TABLES.get(name),
        )
        for name, subject in SUBJECTS.items()
    ]
    groups.append(_Group("other", "Not in the paper", by_subject[""]))
    return [group for group in groups if group.sections]


def _without_published(section: ReportSection) -> ReportSection:
    """Leave out columns with the paper's numbers, which the page has in a table of their own."""
    table = section.table
    kept = [i for i, column in enumerate(table.columns) if not column.startswith("paper")]
    columns = [table.columns[i] for i in kept]
    rows = [[row[i] for i in kept] for row in table.rows]
    return section._replace(table=replace(table, columns=columns, rows=rows))


def _code(text: str) -> Markup:
    """Mark text between backticks as code."""
    return _marked(r"`([^`]*)`", "code", text)


def _bold(text: str) -> Markup:
    """Mark text between double asterisks as bold."""
    return _marked(r"\*\*(.+?)\*\*", "b", text)


def _marked(pattern: str, tag: str, text: Any) -> Markup:
    from markupsafe import Markup, escape

    return Markup(re.sub(pattern, rf"<{tag}>\1</{tag}>", str(escape(text))))


def _data_url(svg: Path) -> str:
    # As an image: the ids in one inline SVG would clash with those in another.
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.read_bytes()).decode()}"
