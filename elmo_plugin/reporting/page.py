"""A self-contained HTML page of tables and figures."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from elmo_plugin.reporting.published_results import FINDINGS, SUBJECTS, TABLES
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
    finding: str | None = None
    published: Table | None = None


def page(sections: Sequence[ReportSection]) -> str:
    """
    Render tables in the order of the paper's, each beside the paper's result, followed by those
    that the paper does not have. Figures are embedded, and there is no script.
    """
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(autoescape=True, loader=loader)
    environment.filters.update(bold=_bold, code=_code, data_url=_data_url)
    environment.tests["numeric"] = _NUMBER.fullmatch
    template = environment.get_template("page.html")
    return template.render(title=TITLE, groups=_groups(sections)).lstrip() + "\n"


def _groups(sections: Sequence[ReportSection]) -> list[_Group]:
    by_subject: dict[str, list[ReportSection]] = {name: [] for name in (*SUBJECTS, "")}
    for section in sections:
        name = section.table.paper
        by_subject[name if name in SUBJECTS else ""].append(section)
    groups = [
        _Group(
            name.lower().replace(" ", "-"),
            f"{name}: {subject}",
            by_subject[name],
            FINDINGS.get(name),
            TABLES.get(name),
        )
        for name, subject in SUBJECTS.items()
    ]
    groups.append(_Group("other", "Not in the paper", by_subject[""]))
    return [group for group in groups if group.sections]


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
