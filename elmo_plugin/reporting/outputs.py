"""Prints results and writes their tables and figures to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NamedTuple

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.json_text import read_json
from elmo_plugin.reporting.figures import check_matplotlib, save_figure
from elmo_plugin.reporting.provenance import check_committed, with_provenance
from elmo_plugin.reporting.stored_tables import is_table
from elmo_plugin.reporting.tables import Table
from elmo_plugin.reporting.terminal import can_draw, draw
from elmo_plugin.weights.input_files import check_not_read

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE_KINDS = ("json", "md")
FIGURE_KINDS = ("png", "svg")


class Result(NamedTuple):
    """An experiment's table, and a function that draws its figure if it has one."""

    table: Table
    draw: Callable[[], Figure] | None = None


def check_outputs(prefix: str | None, inputs: Iterable[str], draft: bool = False) -> None:
    """
    Make the output directory and check, before long work, that the files can be written.

    # Parameters

    prefix : `str` or `None`
        As for `write_result`.
    inputs : `Iterable[str]`
        Files that the experiment reads.
    draft : `bool`, optional (default = `False`)
        Allow code with changes that are not committed, which marks the table as a draft.

    # Raises

    `ValueError` : an output is one of the inputs or a directory, or its directory cannot be written
    to; a file that is not part of an earlier table would be replaced; such code, without `draft`.
    `ModuleNotFoundError` : Matplotlib is missing.
    """
    if prefix is None:
        return
    check_matplotlib()
    check_committed(draft, f"--out {prefix}: ")
    inputs = list(inputs)
    for file in output_files(prefix):
        check_not_read(file, inputs)
        if file.is_dir():
            raise ValueError(f"{file}: expected a file or nothing, found a directory")
    _check_replaced(prefix)
    make_directory_of(prefix, "--out")


def make_directory_of(path: str, argument: str) -> None:
    """
    Make the directory that holds an output file.

    # Raises

    `ValueError` : files cannot be made there; names the argument and the path.
    """
    directory = Path(path).parent
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise ValueError(
            f"{argument} {path}: expected a directory that can be written to, found: "
            f"{error.strerror}"
        ) from error


def _check_replaced(prefix: str) -> None:
    """Check that existing files are an earlier table's, not data or a text of the same name."""
    table = Path(f"{prefix}.json")
    if table.exists() and not is_table(read_json(table)):
        raise ValueError(f"{table}: expected a table or nothing to replace, found other JSON")
    for file in output_files(prefix):
        if file.exists() and not table.exists():
            raise ValueError(f"{file}: expected {table} beside a file to replace, found none")


def output_files(prefix: str) -> list[Path]:
    """Return the files that `write_result` writes; those of figures only if there is one."""
    return [Path(f"{prefix}.{kind}") for kind in (*TABLE_KINDS, *FIGURE_KINDS)]


def write_result(prefix: str | None, result: Result, as_json: bool = False) -> None:
    """
    Write the table with its provenance and the figure, if a prefix is given; then print the table,
    on a terminal drawn with lines, elsewhere as Markdown.

    # Parameters

    prefix : `str` or `None`
        The files' common name, as in "results/probe".
    result : `Result`
    as_json : `bool`, optional (default = `False`)
        Print JSON.
    """
    table = with_provenance(result.table)
    texts = dict(zip(TABLE_KINDS, (table.json(), table.markdown())))
    if prefix is not None:
        _write_files(prefix, texts, result.draw)
    if as_json or not can_draw():
        print(texts["json" if as_json else "md"])
    else:
        draw(table)


def _write_files(
    prefix: str, texts: Mapping[str, str], draw_figure: Callable[[], Figure] | None
) -> None:
    if draw_figure is None:  # that of an earlier table
        for kind in FIGURE_KINDS:
            Path(f"{prefix}.{kind}").unlink(missing_ok=True)
    for kind, text in texts.items():
        with atomic_write(f"{prefix}.{kind}") as file:
            # File names need not be UTF-8. In JSON the escape is JSON's own.
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
    if draw_figure is not None:
        figure = draw_figure()
        for kind in FIGURE_KINDS:
            with atomic_write(f"{prefix}.{kind}") as file:
                save_figure(figure, file, kind)
