"""Parquet files with a row per sentence: one file, or a directory with a file per block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from elmo_plugin.common.atomic_write import atomic_directory, atomic_write
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Part
from elmo_plugin.embedding.vectors import Vectors

if TYPE_CHECKING:
    import pyarrow

LINE, TOKENS, VECTORS = "line", "tokens", "vectors"

# Vectors have next to no repeated values: dictionaries, compression and bounds cost time only.
_OPTIONS: dict[str, Any] = {
    "use_dictionary": [f"{TOKENS}.list.element"],
    "compression": "none",
    "write_statistics": False,
}


def check(encoder: BlockEncoder) -> None:
    """Raise a `ModuleNotFoundError` without pyarrow."""
    import pyarrow.parquet  # noqa: F401


def write(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """
    Write the columns `line` (number of the sentence in its file, from 0), `tokens`, and `vectors`:
    per sentence a list with an array for each token, or one array if pooled; of all layers, arrays
    of arrays. Each block is a row group.
    """
    from pyarrow import parquet

    tables = (to_table(part, encoder.pooling is not None) for part in parts)
    first = next(tables)
    with (
        atomic_write(out) as temporary,
        parquet.ParquetWriter(temporary, first.schema, **_OPTIONS) as writer,
    ):
        for table in _chain(first, tables):
            writer.write_table(table, row_group_size=len(table))


def write_directory(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """Write a directory with a file for each block; their names sort as the text does."""
    from pyarrow import parquet

    with atomic_directory(out) as directory:
        for part in parts:
            table = to_table(part, encoder.pooling is not None)
            parquet.write_table(
                table, directory / f"{part.name}.parquet", row_group_size=len(table)
            )


def to_table(part: Part, pooled: bool) -> pyarrow.Table:
    """Convert a part to the columns of a file."""
    import pyarrow

    vectors = _arrays(part.vectors)
    if not pooled:
        offsets = pyarrow.array([0, *part.ends(pooled)], pyarrow.int32())
        vectors = pyarrow.ListArray.from_arrays(offsets, vectors)
    lines = pyarrow.array(range(part.start, part.start + len(part.tokens)), pyarrow.int64())
    tokens = pyarrow.array(part.tokens, pyarrow.list_(pyarrow.string()))
    return pyarrow.table({LINE: lines, TOKENS: tokens, VECTORS: vectors})


def _arrays(vectors: numpy.ndarray) -> pyarrow.Array:
    import pyarrow

    values = pyarrow.array(vectors.reshape(-1))
    for size in reversed(vectors.shape[1:]):
        values = pyarrow.FixedSizeListArray.from_arrays(values, size)
    return values


def _chain(first: pyarrow.Table, others: Iterator[pyarrow.Table]) -> Iterator[pyarrow.Table]:
    yield first
    yield from others


class ParquetVectors(Vectors):
    """
    # Parameters

    path : `str`
        A file, or a directory of files.

    # Raises

    `ValueError` : another kind of file.
    """

    def __init__(self, path: str) -> None:
        import pyarrow
        from pyarrow import parquet

        self.path = path
        paths = sorted(Path(path).glob("*.parquet")) if Path(path).is_dir() else [Path(path)]
        try:
            self._files = [parquet.ParquetFile(file) for file in paths]
        except (pyarrow.ArrowException, OSError) as error:
            raise ValueError(f"{path}: expected Parquet files, found: {error}") from error
        groups = [(file, group) for file in self._files for group in range(file.num_row_groups)]
        if not groups or any(VECTORS not in file.schema_arrow.names for file in self._files):
            raise ValueError(
                f"{path}: expected Parquet files with the column {VECTORS}, found none"
            )
        self._groups = groups
        rows = [file.metadata.row_group(group).num_rows for file, group in groups]
        self._ends = numpy.cumsum(rows)
        self._loaded: tuple[int, pyarrow.Table] | None = None

    def __len__(self) -> int:
        return int(self._ends[-1])

    def read(self, index: int) -> numpy.ndarray:
        table, row = self._locate(index)
        return _to_numpy(table[VECTORS][row].values)

    def tokens(self, index: int) -> list[str]:
        table, row = self._locate(index)
        tokens: list[str] = table[TOKENS][row].as_py()
        return tokens

    def close(self) -> None:
        for file in self._files:
            file.close()

    def _locate(self, index: int) -> tuple[pyarrow.Table, int]:
        """Return the row group that holds a line, and the line's row there."""
        number = int(numpy.searchsorted(self._ends, index, side="right"))
        if self._loaded is None or self._loaded[0] != number:
            file, group = self._groups[number]
            self._loaded = number, file.read_row_group(group)
        table = self._loaded[1]
        return table, index - int(self._ends[number]) + len(table)


def _to_numpy(array: pyarrow.Array) -> numpy.ndarray:
    import pyarrow

    shape = [len(array)]
    while pyarrow.types.is_fixed_size_list(array.type):
        shape.append(array.type.list_size)
        array = array.flatten()
    return array.to_numpy(zero_copy_only=False).reshape(shape)
