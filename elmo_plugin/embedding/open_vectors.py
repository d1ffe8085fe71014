"""Opens any file that `elmo embed` writes."""

from __future__ import annotations

from pathlib import Path

from elmo_plugin.embedding.formats.allennlp_hdf5 import INDEX, AllennlpVectors
from elmo_plugin.embedding.formats.npy import NpyVectors
from elmo_plugin.embedding.formats.packed import PackedVectors
from elmo_plugin.embedding.formats.parquet_vectors import ParquetVectors
from elmo_plugin.embedding.vectors import Vectors
from elmo_plugin.weights.activations_file import LAYERS
from elmo_plugin.weights.hdf5 import hdf5_errors

# Datasets of AllenNLP's files: the index, which may be missing, and the first line.
_ALLENNLP = {INDEX, "0"}
# Files of a biLM and of a training run, whose directories may also hold vectors.
_OF_MODELS = ("options.json", "config.json")
_HDF5, _NPY, _PARQUET = b"\x89HDF\r\n\x1a\n", b"\x93NUMPY", b"PAR1"


def open_vectors(path: str | Path) -> Vectors:
    """
    Open the vectors of a text.

        with open_vectors("vectors.hdf5") as vectors:
            first, last = vectors[0], vectors[-1]

    # Parameters

    path : `str` or `Path`
        A file or directory that `elmo embed` wrote, in any of its formats, or a file of AllenNLP's
        former command `allennlp elmo`.

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
    start = _start(path)
    if start == _HDF5:
        return AllennlpVectors(path) if _ALLENNLP & _hdf5_names(path) else PackedVectors(path)
    if start.startswith(_NPY):
        return NpyVectors(path)
    if start.startswith(_PARQUET):
        return ParquetVectors(path)
    raise ValueError(
        f"{path}: expected vectors that `elmo embed` wrote, found another kind of file"
    )


def holds_vectors(path: str) -> bool:
    """Return True if a path holds vectors, rather than a biLM or a training run."""
    if Path(path).is_dir():
        has_vectors = any(Path(path).glob("*.parquet"))
        return has_vectors and not any(Path(path, name).exists() for name in _OF_MODELS)
    if not Path(path).is_file():
        return False
    start = _start(path)
    if start == _HDF5:
        return bool({*_ALLENNLP, LAYERS} & _hdf5_names(path))
    return start.startswith((_NPY, _PARQUET))


def _start(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(_HDF5))


def _hdf5_names(path: str) -> set[str]:
    import h5py

    with hdf5_errors(path), h5py.File(path, "r") as file:
        return set(file)
