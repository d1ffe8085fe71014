"""Reads the vectors of Parquet files that `elmo embed` wrote."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy

from elmo_plugin.embedding.formats.parquet import INDEX, LINE, TOKENS, VECTORS
from elmo_plugin.embedding.vectors import Vectors, checked

if TYPE_CHECKING:
    import pyarrow


_DAMAGE = (OSError, KeyError, ValueError)


class RowGroup(NamedTuple):
    """Location of a row group of a Parquet file."""

    file: Path
    version: tuple[int, ...]
    """Version of the file when it was opened, see `_version`."""
    number: int
    rows: int


class ParquetVectors(Vectors):
    """
    Reads a Parquet file, or a directory of them.

    # Parameters

    path : `str`
        File, or directory that `write_directory` wrote.

    # Raises

    `ValueError` : another kind of file, or an incomplete directory. Reading a damaged file, or one
    that has been replaced, raises it too.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.format = "parquet-directory" if os.path.isdir(path) else "parquet"
        self._groups = _row_groups(Path(path).absolute())
        self._ends = numpy.cumsum([group.rows for group in self._groups])
        self._loaded: tuple[int, pyarrow.Table] | None = None

    def __len__(self) -> int:
        return int(self._ends[-1])

    def _read(self, index: int) -> numpy.ndarray:
        table, row = self._locate(index)
        return checked(_to_numpy(table[VECTORS][row].values), self.path, index)

    def _read_tokens(self, index: int) -> list[str]:
        table, row = self._locate(index)
        tokens: list[str] = table[TOKENS][row].as_py()
        return tokens

    def close(self) -> None:
        super().close()
        self._loaded = None

    def _locate(self, index: int) -> tuple[pyarrow.Table, int]:
        """Return the row group that holds a line, and the line's row there."""
        number = int(numpy.searchsorted(self._ends, index, side="right"))
        if self._loaded is None or self._loaded[0] != number:
            self._loaded = number, _read_group(self._groups[number])
        table = self._loaded[1]
        return table, index - int(self._ends[number]) + len(table)


def _row_groups(path: Path) -> list[RowGroup]:
    """List the row groups of a file or directory, in the order of the text."""
    import pyarrow
    from pyarrow import parquet

    listing = path / INDEX if path.is_dir() else path
    if path.is_dir() and not listing.exists():
        raise ValueError(
            f"{path}: expected the file {INDEX}, which `elmo embed` writes, found none: another "
            "directory, or an incomplete one"
        )
    try:
        # Opened here, as pyarrow takes "a:b" for a URI, and has names in UTF-8 only.
        with listing.open("rb") as content:
            metadata = parquet.read_metadata(content)
        _check_columns(metadata.schema.to_arrow_schema())
    except (*_DAMAGE, pyarrow.ArrowException) as error:
        raise ValueError(f"{listing}: expected a Parquet file of vectors, {error}") from error
    if not metadata.num_row_groups:
        raise ValueError(f"{path}: expected Parquet files with vectors, found none")
    groups: list[RowGroup] = []
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        file = path / group.column(0).file_path if path.is_dir() else path
        if not file.is_file():
            raise ValueError(f"{path}: expected all files of {INDEX}, found none at {file}")
        number = groups[-1].number + 1 if groups and groups[-1].file == file else 0
        groups.append(RowGroup(file, _version(file.stat()), number, group.num_rows))
    return groups


def _version(status: os.stat_result) -> tuple[int, ...]:
    """Return numbers that change when a file is replaced."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _check_columns(schema: pyarrow.Schema) -> None:
    """Raise a `ValueError` for other columns than `write` writes: the schema has no checksum."""
    import pyarrow

    if not {LINE, TOKENS, VECTORS} <= set(schema.names):
        raise ValueError(f"found the columns {schema.names!s:.80}")
    kind = schema.field(VECTORS).type
    if pyarrow.types.is_list(kind):  # of tokens
        kind = kind.value_type
    is_array = pyarrow.types.is_fixed_size_list(kind)
    while pyarrow.types.is_fixed_size_list(kind):
        kind = kind.value_type
    expected = {LINE: pyarrow.int64(), TOKENS: pyarrow.list_(pyarrow.string())}
    wrong = [name for name, one in expected.items() if schema.field(name).type != one]
    if not is_array or kind not in (pyarrow.float16(), pyarrow.float32()):
        wrong.append(VECTORS)
    if wrong:
        found = ", ".join(f"{name} of type {schema.field(name).type}" for name in wrong)
        raise ValueError(f"found {found:.200}")


def _check_values(table: pyarrow.Table) -> None:
    """Raise a `ValueError` for missing values, or different numbers of tokens and vectors."""
    import pyarrow
    from pyarrow import compute

    for name in (LINE, TOKENS, VECTORS):
        if any(_has_nulls(chunk) for chunk in table[name].chunks):
            raise ValueError(f"found missing values in the column {name}")
    if pyarrow.types.is_list(table.schema.field(VECTORS).type):  # one vector per token
        tokens, vectors = (compute.list_value_length(table[name]) for name in (TOKENS, VECTORS))
        if tokens != vectors:
            raise ValueError("found different numbers of tokens and vectors")


def _has_nulls(array: pyarrow.Array) -> bool:
    import pyarrow

    if array.null_count:
        return True
    is_nested = pyarrow.types.is_list(array.type) or pyarrow.types.is_fixed_size_list(array.type)
    return is_nested and _has_nulls(array.flatten())


def _read_group(group: RowGroup) -> pyarrow.Table:
    import pyarrow
    from pyarrow import parquet

    try:
        with (
            group.file.open("rb") as content,
            parquet.ParquetFile(content, page_checksum_verification=True) as file,
        ):
            if _version(os.fstat(content.fileno())) != group.version:
                raise ValueError("the file was replaced after it had been opened")
            table = file.read_row_group(group.number)
        _check_columns(table.schema)
        _check_values(table)
    except (*_DAMAGE, pyarrow.ArrowException) as error:
        raise ValueError(f"{group.file}: expected an undamaged file of vectors: {error}") from error
    if len(table) != group.rows:
        raise ValueError(
            f"{group.file}: expected {group.rows} rows in row group {group.number}, found "
            f"{len(table)}"
        )
    return table


def _to_numpy(array: pyarrow.Array) -> numpy.ndarray:
    import pyarrow

    shape = [len(array)]
    while pyarrow.types.is_fixed_size_list(array.type):
        shape.append(array.type.list_size)
        array = array.flatten()
    # A copy, which is writable and does not keep the row group in memory.
    return numpy.array(array.to_numpy(zero_copy_only=False)).reshape(shape)
