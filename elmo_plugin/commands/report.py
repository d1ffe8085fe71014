"""`elmo report`: all tables on one page, beside the paper's."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from elmo_plugin.analysis.page import Exhibit, page
from elmo_plugin.analysis.tables import Table
from elmo_plugin.configuration_errors import configuration_errors
from elmo_plugin.weights.whole_file import whole_file


@Subcommand.register("report")
class Report(Subcommand):
    """Registered as a `Subcommand` with name "report"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = """Write one HTML page, which needs nothing beside itself, of the tables and
            figures that the other commands wrote, each beside the paper's own."""
        subparser = parser.add_parser(
            self.name, description=description, help="Write all tables as one page."
        )
        subparser.add_argument(
            "tables",
            nargs="+",
            metavar="TABLE",
            help="PREFIX.json that a command wrote with --out, its figure beside it; or a "
            "directory, for all tables in it",
        )
        subparser.add_argument("--out", required=True, metavar="FILE", help="as in report.html")
        subparser.set_defaults(func=_report)
        return subparser


def _report(args: argparse.Namespace) -> None:
    exhibits = [exhibit for path in args.tables for exhibit in _exhibits(Path(path))]
    if not exhibits:
        raise ConfigurationError(f"{', '.join(args.tables)}: expected tables, found none")
    with configuration_errors(), whole_file(args.out) as file:
        file.write_text(page(exhibits), encoding="utf-8")
    print(f"{args.out}: {len(exhibits)} tables")


def _exhibits(path: Path) -> Iterator[Exhibit]:
    if path.is_dir():
        # Beside tables, a directory may hold other JSON.
        files = [file for file in sorted(path.glob("*.json")) if _is_table(file)]
    else:
        files = [path]
    for file in files:
        try:
            table = Table.from_json(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ConfigurationError(f"{file}: {error}") from error
        figure = file.with_suffix(".svg")
        yield Exhibit(table, figure if figure.is_file() else None)


def _is_table(file: Path) -> bool:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(content, dict) and {"title", "columns", "rows"} <= content.keys()
