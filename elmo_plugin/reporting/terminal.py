"""Tables on a terminal."""

from __future__ import annotations

import sys

from elmo_plugin.reporting.tables import Table


def can_draw() -> bool:
    """Return whether standard output is a terminal, and Rich is installed."""
    if not sys.stdout.isatty():
        return False
    try:
        import rich  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def draw(table: Table) -> None:
    """Print a table with its metadata below it, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table as Drawn

    # Words in brackets and numbers are not markup.
    console = Console(markup=False, highlight=False, emoji=False)
    drawn = Drawn(title=table.title, title_justify="left")
    rows = table.row_texts()
    for name, *cells in zip(table.columns, *rows):
        numeric = all(not cell or cell[0] in "-+0123456789" for cell in cells)
        drawn.add_column(name, justify="right" if numeric else "left")
    for row in rows:
        drawn.add_row(*row)
    console.print(drawn)
    for name, text in table.metadata_texts():
        console.print(f"{name}: {text}", style="dim")
