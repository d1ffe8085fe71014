"""Files that `elmo embed` writes: a module per format, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.choices import Format
from elmo_plugin.embedding.formats import allennlp_hdf5, npy, packed, parquet
from elmo_plugin.embedding.parts import Part


class Writer(NamedTuple):
    """A format's functions."""

    check: Callable[[BlockEncoder], None]
    """Raises a `ValueError` for options that the format cannot hold."""
    write: Callable[[Iterable[Part], Path, BlockEncoder], None]
    """Writes the parts, in order, as they come."""


FORMATS: dict[Format, Writer] = {
    "packed": Writer(packed.check, packed.write),
    "allennlp": Writer(allennlp_hdf5.check, allennlp_hdf5.write),
    "parquet": Writer(parquet.check, parquet.write),
    "parquet-directory": Writer(parquet.check, parquet.write_directory),
    "npy": Writer(npy.check, npy.write),
}

_SUFFIXES: dict[str, Format] = {
    ".hdf5": "packed",
    ".h5": "packed",
    ".parquet": "parquet",
    ".npy": "npy",
}


def output_format(path: str, stated: Format | None = None) -> Format:
    """
    Return the stated format, or the one of a file's suffix. A name that ends in "/" is a directory
    of Parquet files.

    # Raises

    `ValueError` : none of them.
    """
    if stated is not None:
        return stated
    if path.endswith("/"):
        return "parquet-directory"
    suffix = Path(path).suffix
    if suffix not in _SUFFIXES:
        raise ValueError(
            f"{path}: expected a name that ends in {', '.join(_SUFFIXES)} or /, or a format, one "
            f"of {', '.join(FORMATS)}"
        )
    return _SUFFIXES[suffix]
