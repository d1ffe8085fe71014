"""Writing a frozen biLM's activations for the sentences of a data set to an HDF5 file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import h5py
import numpy
import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.fast.sentence_activations import sentence_keys, split_activations
from elmo_plugin.weights.hdf5 import PathLike
from elmo_plugin.weights.hdf5_writing import CHECKSUMMED, write_checksummed

# Datasets of the file:
CHECKSUMS = "checksums"  # (sentences,), CRC-32 of each sentence's bytes in `layers`
LAYERS = "layers"  # (tokens of all sentences, layers, dim), sentence after sentence
ENDS = "ends"  # (sentences,), end of each sentence in `layers`
KEYS = "keys"  # (sentences, bytes), see `sentence_keys`
TOKENS = "tokens"  # (bytes,), for people: a line per sentence, its tokens as a JSON array
MAX_CHARACTERS = "max_characters"  # (1,), the biLM's

_BATCH_TOKENS = 4096


class Sentence(NamedTuple):
    """Tokens, and what the biLM reads."""

    tokens: Sequence[str]
    character_ids: torch.Tensor
    """Shape (tokens, characters)."""


def write_activations(
    bilm: Bilm,
    sentences: Iterable[Sentence],
    path: PathLike,
    dtype: str = "float32",
    progress: Callable[[list[list[Sentence]]], Iterable[list[Sentence]]] = iter,
) -> None:
    """
    Write the biLM's layers of each distinct sentence, for `StoredActivations`. The same sentences
    give the same file.

    # Parameters

    bilm : `Bilm`
    sentences : `Iterable[Sentence]`
    path : `str` or `Path`
    dtype : `str`, optional (default = `"float32"`)
        Or "float16", half as large and less exact.
    progress : `Callable`, optional (default = `iter`)
        Iterates over the batches, to show progress.

    # Raises

    `ValueError` : no sentences; a biLM with carried state; or layers that are not finite.
    """
    if bilm.initial_state == "carried":
        raise ValueError('initial_state: expected "zero" or "warm", got "carried"')
    distinct = {_key(sentence): sentence for sentence in sentences if len(sentence.tokens)}
    if not distinct:
        raise ValueError("expected sentences, found none")
    # Sorted by length, so that batches hold little padding.
    ordered = dict(sorted(distinct.items(), key=lambda item: len(item[1].tokens)))
    batches = progress(_batches(list(ordered.values())))
    # atomic_write holds the lock that HDF5 would take.
    with (
        atomic_write(path) as temporary,
        h5py.File(temporary, "w", locking=False, **CHECKSUMMED) as file,
    ):
        _write_index(file, ordered, bilm.config.max_characters)
        _write_layers(file, bilm, batches, dtype)


def _write_index(file: h5py.File, sentences: Mapping[bytes, Sentence], max_characters: int) -> None:
    write_checksummed(file, MAX_CHARACTERS, numpy.array([max_characters]))
    ends = numpy.cumsum([len(s.tokens) for s in sentences.values()], dtype=numpy.int64)
    write_checksummed(file, ENDS, ends)
    keys = numpy.frombuffer(b"".join(sentences), numpy.uint8)
    write_checksummed(file, KEYS, keys.reshape(len(sentences), -1))
    lines = "".join(f"{json.dumps(list(s.tokens))}\n" for s in sentences.values())
    write_checksummed(file, TOKENS, numpy.frombuffer(lines.encode(), numpy.uint8))


def _write_layers(
    file: h5py.File, bilm: Bilm, batches: Iterable[list[Sentence]], dtype: str
) -> None:
    # Read sentence by sentence, for which HDF5's own checksums, by chunk, do not serve.
    shape = (int(file[ENDS][-1]), bilm.mixture_size, bilm.output_dim)
    layers = file.create_dataset(LAYERS, shape, dtype)
    checksums: list[int] = []
    start = 0
    for batch in batches:
        for sentence, found in zip(batch, _run(bilm, batch)):
            words = _storable(sentence, found, layers.dtype)
            layers[start : start + len(words)] = words
            checksums.append(zlib.crc32(words.data))
            start += len(words)
    write_checksummed(file, CHECKSUMS, numpy.array(checksums, numpy.uint32))


def _storable(sentence: Sentence, layers: torch.Tensor, dtype: numpy.dtype) -> numpy.ndarray:
    with numpy.errstate(over="ignore"):
        array = numpy.ascontiguousarray(layers.numpy(), dtype)
    if not numpy.isfinite(array).all():
        words = json.dumps(list(sentence.tokens), ensure_ascii=False)
        raise ValueError(
            f"expected finite layers that {dtype} can hold, found others in the sentence {words}"
        )
    return array


def _key(sentence: Sentence) -> bytes:
    ids = sentence.character_ids.unsqueeze(0)
    (key,) = sentence_keys(ids, ids.new_ones(ids.shape[:2]))
    return key


@torch.no_grad()
def _run(bilm: Bilm, batch: list[Sentence]) -> list[torch.Tensor]:
    ids = torch.nn.utils.rnn.pad_sequence([s.character_ids for s in batch], batch_first=True)
    return split_activations(bilm(ids.to(bilm.boundaries.device)))


def _batches(sentences: list[Sentence]) -> list[list[Sentence]]:
    """Batches of about the same number of tokens, in order of length."""
    batches: list[list[Sentence]] = [[]]
    for sentence in sentences:
        if (len(batches[-1]) + 1) * len(sentence.tokens) > _BATCH_TOKENS and batches[-1]:
            batches.append([])
        batches[-1].append(sentence)
    return [batch for batch in batches if batch]
