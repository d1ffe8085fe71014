"""Collects stored tables and figures, and writes the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.json_text import read_json
from elmo_plugin.reporting.page import ReportSection, page
from elmo_plugin.reporting.stored_tables import is_table, to_table
from elmo_plugin.weights.input_files import check_not_read


def write_report(tables: Sequence[str], out: str) -> int:
    """
    Write one HTML page.

    # Parameters

    tables : `Sequence[str]`
        JSON files that `write_result` wrote, each with its figure beside it; or directories of
        them, in which other JSON files are skipped.
    out : `str`
        The file to write.

    # Returns

    `int` : number of tables.

    # Raises

    `ValueError` : no tables, another file among them, or `out` is one of them.
    """
    # Once each, even if both a directory and a file in it are given.
    files = dict.fromkeys(file for path in tables for file in _table_files(Path(path)))
    if not files:
        raise ValueError(f"{', '.join(tables)}: expected tables, found none")
    check_not_read(out, [*files, *map(_figure, files)])
    sections = [_section(file) for file in files]
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(out) as file:
        file.write_text(page(sections), encoding="utf-8", errors="backslashreplace")
    return len(sections)


def _table_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = filter(Path.is_file, sorted(path.glob("*.json")))
    return [file for file in files if is_table(read_json(file))]


def _section(file: Path) -> ReportSection:
    content = read_json(file)
    try:
        table = to_table(content)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    figure = _figure(file)
    return ReportSection(table, figure if figure.is_file() else None)


def _figure(table: Path) -> Path:
    return table.with_suffix(".svg")
