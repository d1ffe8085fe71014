"""Writing a frozen biLM's layers of a data set's sentences to one HDF5 file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import h5py
import numpy
import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.fast.sentence_activations import sentence_keys, split_activations
from elmo_plugin.weights.hdf5 import CHECKSUMMED, PathLike, write_checksummed

# What the file holds, for sentences 0, 1, ...:
CHECKSUMS = "checksums"  # (sentences,), the CRC-32 of each one's bytes in `layers`
LAYERS = "layers"  # (tokens of all sentences, layers, dim), sentence after sentence
ENDS = "ends"  # (sentences,), where in `layers` each ends
KEYS = "keys"  # (sentences, bytes), what each is found by, see `sentence_keys`
TOKENS = "tokens"  # (bytes,), a line for each, its tokens as a JSON array, to be read by people
MAX_CHARACTERS = "max_characters"  # (1,), the biLM's

TOKENS_AT_ONCE = 4096


class Sentence(NamedTuple):
    """A sentence as people and as the biLM read it."""

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
    The biLM's layers of each distinct sentence, for `StoredActivations`. The same sentences make
    the same file.

    # Parameters

    bilm : `Bilm`
    sentences : `Iterable[Sentence]`
    path : `str` or `Path`
    dtype : `str`, optional (default = `"float32"`)
        Or "float16", half as large and less exact.
    progress : `Callable`, optional (default = `iter`)
        Goes through the batches, to show how far it is.

    # Raises

    `ValueError` : no sentences; a biLM whose layers of a sentence do not depend on it alone; or
    layers that are not finite or, as `dtype`, would not be, naming the sentence.
    """
    if bilm.initial_state == "carried":
        raise ValueError('initial_state: expected "zero" or "warm", got "carried"')
    distinct = {_key(sentence): sentence for sentence in sentences if len(sentence.tokens)}
    if not distinct:
        raise ValueError("expected sentences, found none")
    # By length, so that batches hold little padding.
    ordered = dict(sorted(distinct.items(), key=lambda item: len(item[1].tokens)))
    ends = numpy.cumsum([len(s.tokens) for s in ordered.values()], dtype=numpy.int64)
    shape = (int(ends[-1]), bilm.mixture_size, bilm.output_dim)
    # atomic_write holds the lock that HDF5 would take.
    with (
        atomic_write(path) as temporary,
        h5py.File(temporary, "w", locking=False, **CHECKSUMMED) as file,
    ):
        write_checksummed(file, MAX_CHARACTERS, numpy.array([bilm.config.max_characters]))
        write_checksummed(file, ENDS, ends)
        keys = numpy.frombuffer(b"".join(ordered), numpy.uint8)
        write_checksummed(file, KEYS, keys.reshape(len(ordered), -1))
        lines = "".join(f"{json.dumps(list(s.tokens))}\n" for s in ordered.values())
        write_checksummed(file, TOKENS, numpy.frombuffer(lines.encode(), numpy.uint8))
        # Read sentence by sentence, for which chunks with HDF5's checksums are no good.
        layers = file.create_dataset(LAYERS, shape, dtype)
        checksums: list[int] = []
        start = 0
        for batch in progress(_batches(list(ordered.values()))):
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
    """In order, each of about as many tokens; the longest sentence comes last."""
    batches: list[list[Sentence]] = [[]]
    for sentence in sentences:
        if (len(batches[-1]) + 1) * len(sentence.tokens) > TOKENS_AT_ONCE and batches[-1]:
            batches.append([])
        batches[-1].append(sentence)
    return [batch for batch in batches if batch]
