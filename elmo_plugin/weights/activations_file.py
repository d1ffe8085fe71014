"""Writing a frozen biLM's activations for sentences to an HDF5 file."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import h5py
import numpy

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.weights.hdf5 import PathLike
from elmo_plugin.weights.hdf5_writing import NewHdf5File, new_hdf5_file, write_checksummed

# Datasets of the file:
CHECKSUMS = "checksums"  # (sentences,), CRC-32 of each sentence's bytes in `layers`
LAYERS = "layers"  # (tokens of all sentences, layers, dim), sentence after sentence
ENDS = "ends"  # (sentences,), end of each sentence in `layers`
KEYS = "keys"  # (sentences, bytes), see `sentence_keys`
TOKENS = "tokens"  # (bytes,), for people: a line per sentence, its tokens as a JSON array
MAX_CHARACTERS = "max_characters"  # (1,), the biLM's

_CHUNK_BYTES = 2**20
_LAYERS_CHUNK_BYTES = 2**16


class Activations(NamedTuple):
    """Consecutive sentences with their layers."""

    tokens: Sequence[Sequence[str]]
    keys: numpy.ndarray
    """See `sentence_keys`. Shape (sentences, bytes)."""
    layers: numpy.ndarray
    """Shape (tokens of all sentences, layers, dim)."""


def write_activations(parts: Iterable[Activations], path: PathLike, max_characters: int) -> None:
    """
    Write layers of sentences for `StoredActivations`. The same sentences give the same file.

    # Parameters

    parts : `Iterable[Activations]`
        At least one.
    path : `str` or `Path`
    max_characters : `int`
        Characters per word that the biLM reads.
    """
    with atomic_write(path) as temporary, new_hdf5_file(temporary) as file:
        write_checksummed(file, MAX_CHARACTERS, numpy.array([max_characters]))
        _write_parts(file, parts)


def _write_parts(file: NewHdf5File, parts: Iterable[Activations]) -> None:
    lines = file.create_dataset(
        TOKENS, (0,), numpy.uint8, maxshape=(None,), chunks=(_CHUNK_BYTES,), fletcher32=True
    )
    lengths: list[int] = []
    checksums: list[int] = []
    keys: list[numpy.ndarray] = []
    for part in file.interruptible(parts):
        if not keys:
            layers = _create_layers(file, part.layers)
        _append(layers, part.layers)
        keys.append(part.keys)
        lengths += map(len, part.tokens)
        checksums += _checksums(part)
        _append(lines, _json_lines(part.tokens))
    write_checksummed(file, ENDS, numpy.cumsum(lengths, dtype=numpy.int64))
    write_checksummed(file, KEYS, numpy.concatenate(keys))
    write_checksummed(file, CHECKSUMS, numpy.array(checksums, numpy.uint32))


def _checksums(part: Activations) -> list[int]:
    ends = numpy.cumsum([len(tokens) for tokens in part.tokens])[:-1]
    return [zlib.crc32(sentence.data) for sentence in numpy.split(part.layers, ends)]


def _create_layers(file: h5py.File, like: numpy.ndarray) -> h5py.Dataset:
    # Small chunks, as sentences are read one by one. Each sentence has a checksum of its own;
    # HDF5's are those of whole chunks.
    shape = like.shape[1:]
    rows = max(1, _LAYERS_CHUNK_BYTES // (like[:0].itemsize * math.prod(shape)))
    return file.create_dataset(
        LAYERS, (0, *shape), like.dtype, maxshape=(None, *shape), chunks=(rows, *shape)
    )


def _append(dataset: h5py.Dataset, values: numpy.ndarray) -> None:
    start = len(dataset)
    dataset.resize(start + len(values), axis=0)
    dataset[start:] = values


def _json_lines(sentences: Iterable[Sequence[str]]) -> numpy.ndarray:
    text = "".join(f"{json.dumps(list(tokens))}\n" for tokens in sentences)
    return numpy.frombuffer(text.encode(), numpy.uint8)
