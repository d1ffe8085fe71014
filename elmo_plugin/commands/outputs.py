"""Checks `--out` before long work, and writes the table after it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elmo_plugin.reporting.outputs import Result


def check_out(args: argparse.Namespace, inputs: Iterable[str | None] = ()) -> None:
    """
    Make the directory of `--out`, and check that no input file is replaced.

    # Parameters

    args : `argparse.Namespace`
    inputs : `Iterable[str]`, optional (default = `()`)
        Files and directories that the command reads; `None` for those that are not given.

    # Raises

    `ValueError` : a file is both read and written; without `--draft`, code with changes that are
    not committed.
    `ModuleNotFoundError` : Matplotlib is missing.
    """
    from elmo_plugin.reporting.outputs import check_outputs

    check_outputs(args.out, [path for path in inputs if path is not None], args.draft)


def write_table(args: argparse.Namespace, result: Result) -> None:
    """Print a result, and write it to `--out`; see `write_result`."""
    from elmo_plugin.reporting.outputs import write_result

    if args.title:
        result = result._replace(table=replace(result.table, title=args.title))
    write_result(args.out, result, getattr(args, "json", False))
