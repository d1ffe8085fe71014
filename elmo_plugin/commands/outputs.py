"""Where tables and figures go: printed, and as files beside each other."""

import argparse
from pathlib import Path
from typing import Any, Optional

from elmo_plugin.common.atomic_write import atomic_write, check_not_read
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.reporting.figures import check_matplotlib, save_figure
from elmo_plugin.reporting.tables import Table

TABLE_KINDS = ("md", "json")
FIGURE_KINDS = ("png", "svg")


def check_out(args: argparse.Namespace) -> None:
    """
    Before long work: make the directory, and see that figures can be drawn and that no file which
    another argument names is written over.
    """
    if args.out is None:
        return
    named: list[str] = []
    for value in vars(args).values():
        values = value if isinstance(value, (list, tuple)) else [value]
        named += [v for v in values if isinstance(v, str)]
    with configuration_errors():
        check_matplotlib()
        for kind in (*TABLE_KINDS, *FIGURE_KINDS):
            check_not_read(f"{args.out}.{kind}", named)
    Path(args.out).parent.mkdir(parents=True, exist_ok=True)


def write_outputs(prefix: Optional[str], table: Table, figure: Any = None) -> None:
    """
    Print the table; write it and the figure too if there is a prefix.

    # Parameters

    prefix : `str` or `None`
        As in "results/probe", the files' common name.
    table : `Table`
    figure : `matplotlib.figure.Figure`, optional (default = `None`)
    """
    print(table.markdown())
    if prefix is None:
        return
    for kind, text in zip(TABLE_KINDS, (table.markdown(), table.json())):
        with atomic_write(f"{prefix}.{kind}") as file:
            # Names of files need not be UTF-8. In JSON it is JSON's own escape.
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
    for kind in FIGURE_KINDS if figure is not None else ():
        with atomic_write(f"{prefix}.{kind}") as file:
            save_figure(figure, file, kind)
