"""Opens any file that `elmo embed` writes."""

from __future__ import annotations

from pathlib import Path

from elmo_plugin.embedding.formats.allennlp_hdf5 import AllennlpVectors
from elmo_plugin.embedding.formats.npy import NpyVectors
from elmo_plugin.embedding.formats.packed import PackedVectors
from elmo_plugin.embedding.formats.parquet_vectors import ParquetVectors
from elmo_plugin.embedding.vectors import Vectors
from elmo_plugin.weights.activations_file import LAYERS
from elmo_plugin.weights.hdf5 import hdf5_errors

_HDF5, _NPY, _PARQUET = b"\x89HDF\r\n\x1a\n", b"\x93NUMPY", b"PAR1"


def open_vectors(path: str | Path) -> Vectors:
    """
    Open the vectors of a text.

        with open_vectors("vectors.hdf5") as vectors:
            first, last = vectors[0], vectors[-1]

    # Parameters

    path : `str` or `Path`
        What `elmo embed` wrote, in any of its formats, or AllenNLP's former command `elmo`.

    # Returns

    `Vectors` : by line, from 0.

    # Raises

    `ValueError` : another kind of file, or a damaged one.
    `FileNotFoundError` : no such file.
    """
    path = str(path)
    if Path(path).is_dir():
        return ParquetVectors(path)
    if not Path(path).exists():
        raise FileNotFoundError(f"{path}: expected vectors that `elmo embed` wrote, found none")
    with open(path, "rb") as file:
        start = file.read(len(_HDF5))
    if start == _HDF5:
        return PackedVectors(path) if _is_packed(path) else AllennlpVectors(path)
    if start.startswith(_NPY):
        return NpyVectors(path)
    if start.startswith(_PARQUET):
        return ParquetVectors(path)
    raise ValueError(
        f"{path}: expected vectors that `elmo embed` wrote, found another kind of file"
    )


def _is_packed(path: str) -> bool:
    import h5py

    with hdf5_errors(path), h5py.File(path, "r") as file:
        return LAYERS in file
