"""Writing a frozen biLM's activations for sentences to an HDF5 file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import h5py
import numpy
import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.weights.hdf5 import PathLike
from elmo_plugin.weights.hdf5_writing import CHECKSUMMED, write_checksummed

# Datasets of the file:
CHECKSUMS = "checksums"  # (sentences,), CRC-32 of each sentence's bytes in `layers`
LAYERS = "layers"  # (tokens of all sentences, layers, dim), sentence after sentence
ENDS = "ends"  # (sentences,), end of each sentence in `layers`
KEYS = "keys"  # (sentences, bytes), see `sentence_keys`
TOKENS = "tokens"  # (bytes,), for people: a line per sentence, its tokens as a JSON array
MAX_CHARACTERS = "max_characters"  # (1,), the biLM's

_CHUNK_BYTES = 2**20


class Sentence(NamedTuple):
    """Tokens, and what a biLM reads of them if a reader has its own way to make ids of them."""

    tokens: Sequence[str]
    character_ids: torch.Tensor | None = None
    """Shape (tokens, characters)."""


class Activations(NamedTuple):
    """Consecutive sentences with their layers."""

    tokens: Sequence[Sequence[str]]
    keys: numpy.ndarray
    """See `sentence_keys`. Shape (sentences, bytes)."""
    layers: numpy.ndarray
    """Shape (tokens of all sentences, layers, dim)."""


def write_activations(
    parts: Iterable[Activations], path: PathLike, num_tokens: int, max_characters: int
) -> None:
    """
    Write layers of sentences for `StoredActivations`. The same sentences give the same file.

    # Parameters

    parts : `Iterable[Activations]`
        One at least.
    path : `str` or `Path`
    num_tokens : `int`
        Number of tokens of all parts.
    max_characters : `int`
        Of the biLM.
    """
    # atomic_write holds the lock that HDF5 would take.
    with (
        atomic_write(path) as temporary,
        h5py.File(temporary, "w", locking=False, **CHECKSUMMED) as file,
    ):
        write_checksummed(file, MAX_CHARACTERS, numpy.array([max_characters]))
        _write_parts(file, parts, num_tokens)


def _write_parts(file: h5py.File, parts: Iterable[Activations], num_tokens: int) -> None:
    lines = file.create_dataset(
        TOKENS, (0,), numpy.uint8, maxshape=(None,), chunks=(_CHUNK_BYTES,), fletcher32=True
    )
    lengths: list[int] = []
    checksums: list[int] = []
    keys: list[numpy.ndarray] = []
    start = 0
    for part in parts:
        if not keys:
            # Read sentence by sentence, for which HDF5's checksums, by chunk, do not serve.
            shape = (num_tokens, *part.layers.shape[1:])
            layers = file.create_dataset(LAYERS, shape, part.layers.dtype)
        layers[start : start + len(part.layers)] = part.layers
        start += len(part.layers)
        keys.append(part.keys)
        lengths += map(len, part.tokens)
        checksums += _checksums(part)
        _append(lines, "".join(f"{json.dumps(list(t))}\n" for t in part.tokens).encode())
    write_checksummed(file, ENDS, numpy.cumsum(lengths, dtype=numpy.int64))
    write_checksummed(file, KEYS, numpy.concatenate(keys))
    write_checksummed(file, CHECKSUMS, numpy.array(checksums, numpy.uint32))


def _checksums(part: Activations) -> list[int]:
    ends = numpy.cumsum([len(tokens) for tokens in part.tokens])[:-1]
    return [zlib.crc32(sentence.data) for sentence in numpy.split(part.layers, ends)]


def _append(dataset: h5py.Dataset, content: bytes) -> None:
    start = len(dataset)
    dataset.resize(start + len(content), axis=0)
    dataset[start:] = numpy.frombuffer(content, numpy.uint8)
