"""Writes Parquet files with a row per sentence: one file, or a directory with a file per block."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from elmo_plugin.common.atomic_write import atomic_directory, atomic_write
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Part

if TYPE_CHECKING:
    import pyarrow

LINE, TOKENS, VECTORS = "line", "tokens", "vectors"

# Vectors have next to no repeated values: dictionaries, compression and bounds cost time only.
_OPTIONS: dict[str, Any] = {
    "use_dictionary": [f"{TOKENS}.list.element"],
    "compression": "none",
    "write_statistics": False,
    "write_page_checksum": True,
}
INDEX = "_metadata"
"""Summary file of a Parquet directory, which lists its files."""


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
        temporary.open("wb") as file,  # pyarrow takes "a:b" for a URI, and has names in UTF-8 only
        parquet.ParquetWriter(file, first.schema, **_OPTIONS) as writer,
    ):
        for table in chain([first], tables):
            writer.write_table(table, row_group_size=len(table))


def write_directory(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """
    Write a directory with a file for each block, and the file `_metadata`, which lists them in the
    order of the text.
    """
    import pyarrow
    from pyarrow import parquet

    with atomic_directory(out) as directory:
        index: list[Any] = []
        for part in parts:
            table, name = to_table(part, encoder.pooling is not None), f"{part.name}.parquet"
            # In memory first: pyarrow's writer hides the error of a full disk.
            content = pyarrow.BufferOutputStream()
            parquet.write_table(
                table, content, row_group_size=len(table), metadata_collector=index, **_OPTIONS
            )
            (directory / name).write_bytes(content.getvalue())
            index[-1].set_file_path(name)
        with (directory / INDEX).open("w+b") as file:
            parquet.write_metadata(table.schema, file, metadata_collector=index)


def to_table(part: Part, pooled: bool) -> pyarrow.Table:
    """Convert a part to the columns of a file."""
    import pyarrow

    vectors = _arrays(part.vectors)
    if not pooled:
        offsets = pyarrow.array([0, *part.ends(pooled)], pyarrow.int32())
        vectors = pyarrow.ListArray.from_arrays(offsets, vectors)
    lines = pyarrow.array(range(part.start, part.start + len(part.tokens)), pyarrow.int64())
    try:
        tokens = pyarrow.array(part.tokens, pyarrow.list_(pyarrow.string()))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{part.name}: expected tokens of Unicode text, as Parquet has no other strings, found "
            f"a lone surrogate in {error.object!r:.60}; the format packed holds any tokens"
        ) from error
    return pyarrow.table({LINE: lines, TOKENS: tokens, VECTORS: vectors})


def _arrays(vectors: numpy.ndarray) -> pyarrow.Array:
    import pyarrow

    values = pyarrow.array(vectors.reshape(-1))
    for size in reversed(vectors.shape[1:]):
        values = pyarrow.FixedSizeListArray.from_arrays(values, size)
    return values
