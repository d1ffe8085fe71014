"""`elmo report`: all tables and figures on one page."""

import argparse

from elmo_plugin.commands import arguments

DESCRIPTION = """Write one self-contained HTML page of the tables and figures that other commands
    wrote, each beside the paper's."""
EXAMPLE = "elmo report results --out report.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tables",
        type=arguments.path,
        nargs="+",
        metavar="TABLE",
        help="PREFIX.json that a command wrote with --out, its figure beside it; or a directory of "
        "tables",
    )
    parser.add_argument(
        "--out",
        type=arguments.output_file,
        required=True,
        metavar="FILE",
        help="HTML file to write",
    )


def needs_allennlp(args: argparse.Namespace) -> bool:
    return False


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.reporting.report import write_report

    number = write_report(args.tables, args.out)
    print(f"{args.out}: {number} {'table' if number == 1 else 'tables'}")
