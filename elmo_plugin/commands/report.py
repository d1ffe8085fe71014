"""`elmo report`: all tables on one page, beside the paper's."""

import argparse
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.commands import arguments
from elmo_plugin.common.atomic_write import atomic_write, check_not_read
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.json_text import read_json
from elmo_plugin.reporting.page import ReportSection, page
from elmo_plugin.reporting.stored_tables import to_table

DESCRIPTION = """Write one HTML page, which needs nothing beside itself, of the tables and
    figures that the other commands wrote, each beside the paper's own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tables",
        type=arguments.path,
        nargs="+",
        metavar="TABLE",
        help="PREFIX.json that a command wrote with --out, its figure beside it; or a "
        "directory, for all tables in it",
    )
    parser.add_argument(
        "--out",
        type=arguments.output_file,
        required=True,
        metavar="FILE",
        help="as in report.html",
    )


def run(args: argparse.Namespace) -> None:
    # Once each, though a directory and a file in it be given.
    files = dict.fromkeys(file for path in args.tables for file in _table_files(Path(path)))
    if not files:
        raise ConfigurationError(f"{', '.join(args.tables)}: expected tables, found none")
    with configuration_errors():
        check_not_read(args.out, [*files, *map(_figure, files)])
    exhibits = [_exhibit(file) for file in files]
    Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    with configuration_errors(), atomic_write(args.out) as file:
        file.write_text(page(exhibits), encoding="utf-8", errors="backslashreplace")
    print(f"{args.out}: {len(exhibits)} tables")


def _table_files(path: Path) -> list[Path]:
    # Beside tables, a directory may hold other JSON.
    return [f for f in sorted(path.glob("*.json")) if _is_table(f)] if path.is_dir() else [path]


def _exhibit(file: Path) -> ReportSection:
    content = read_json(file)
    try:
        table = to_table(content)
    except ValueError as error:
        raise ConfigurationError(f"{file}: {error}") from error
    return ReportSection(table, _figure(file) if _figure(file).is_file() else None)


def _figure(table: Path) -> Path:
    return table.with_suffix(".svg")


def _is_table(file: Path) -> bool:
    content = read_json(file)
    return isinstance(content, dict) and {"title", "columns", "rows"} <= content.keys()
