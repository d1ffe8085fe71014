"""Reading a biLM's activations from the file that `write_activations` wrote."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy
import torch

from elmo_plugin.layers import ids_to_word
from elmo_plugin.layers.bilm_output import BilmOutput
from elmo_plugin.layers.char_ids import check_ids
from elmo_plugin.layers.fast.sentence_activations import join_activations, sentence_keys
from elmo_plugin.weights.activations_file import (
    CHECKSUMS,
    ENDS,
    KEYS,
    LAYERS,
    MAX_CHARACTERS,
    TOKENS,
)
from elmo_plugin.weights.hdf5 import PathLike, hdf5_errors, whole_datasets

_LAYOUT: dict[str, tuple[Any, ...]] = {
    ENDS: (1, "int64"),
    KEYS: (2, "uint8"),
    TOKENS: (1, "uint8"),
    CHECKSUMS: (1, "uint32"),
    MAX_CHARACTERS: (1, "int64"),
    LAYERS: (3, "float32", "float16"),
}
"""Number of dimensions, and types, of each dataset."""


class _Stored(NamedTuple):
    """Position of a sentence in `layers`."""

    start: int
    end: int
    checksum: int


class StoredActivations(torch.nn.Module):
    """
    Returns stored layers in place of running a biLM, for the sentences in the file.

    # Parameters

    path : `str` or `Path`
        Written by `write_activations`.

    # Raises

    `ValueError` : another kind of file, or a damaged one.
    `FileNotFoundError` : no such file.
    """

    def __init__(self, path: PathLike) -> None:
        super().__init__()
        self.path = path
        self._file, datasets = open_activations(path)
        with hdf5_errors(path):
            self._max_characters = int(datasets[MAX_CHARACTERS][0])
            self._layers, self._tokens = datasets[LAYERS], datasets[TOKENS]
            self.mixture_size, self.output_dim = self._layers.shape[1:]
            self._checked: set[bytes] = set()
            self._stored = _index(datasets)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredActivations, (self.path,)

    def forward(self, character_ids: torch.Tensor) -> BilmOutput:
        """
        Look up the layers of a batch of sentences.

        # Parameters

        character_ids : `torch.Tensor`
            Shape (batch, tokens, characters).

        # Returns

        `BilmOutput` : that of the biLM that the file was written with.

        # Raises

        `ValueError` : a sentence that is not in the file with these tokens, or whose layers are
        damaged or not finite; contains the sentence.
        """
        mask = check_ids(character_ids, self._max_characters)
        rows = zip(character_ids, mask.sum(1).tolist(), sentence_keys(character_ids, mask))
        sentences = [self._read(ids[:length], key) for ids, length, key in rows if length]
        return join_activations(sentences, mask, self.mixture_size, self.output_dim)

    def _read(self, character_ids: torch.Tensor, key: bytes) -> torch.Tensor:
        if key not in self._stored:
            raise ValueError(self._absence(_words(character_ids)))
        start, end, checksum = self._stored[key]
        with hdf5_errors(self.path):
            layers = self._layers[start:end]
        if key not in self._checked:  # once, as checking takes as long as reading
            if zlib.crc32(layers) != checksum or not numpy.isfinite(layers).all():
                words = _json(_words(character_ids))
                raise ValueError(
                    f"{self.path}: expected the layers of the sentence {words}, found damaged ones"
                )
            self._checked.add(key)
        return torch.from_numpy(layers.astype(numpy.float32, copy=False))

    def _absence(self, words: list[str]) -> str:
        text = "".join(words).casefold()
        with hdf5_errors(self.path):
            for stored in map(json.loads, self._tokens[:].tobytes().splitlines()):
                if "".join(stored).casefold() == text:
                    found = f"the same text with other tokens, {_json(stored)}"
                    break
            else:
                found = f"no such sentence among {len(self._stored)}"
        return f"{self.path}: expected the layers of the sentence {_json(words)}, found {found}"


def open_activations(path: PathLike) -> tuple[h5py.File, dict[str, h5py.Dataset]]:
    """Open a file that `write_activations` wrote, see `StoredActivations`."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: expected a file that `elmo embed` wrote, found none")
    with hdf5_errors(path), ExitStack() as stack:
        file = stack.enter_context(h5py.File(path, "r"))
        datasets = whole_datasets(file)
        _check(datasets)
        _check_lengths(datasets)
        stack.pop_all()  # leaves the file open
    return file, datasets


def _check(datasets: Mapping[str, h5py.Dataset]) -> None:
    """Raise a `ValueError` unless `write_activations` could have written these."""
    missing = [name for name in _LAYOUT if name not in datasets]
    if missing:
        raise ValueError(
            f"expected a file that `elmo embed` wrote, found none of its {', '.join(missing)}"
        )
    for name, (dimensions, *types) in _LAYOUT.items():
        dataset = datasets[name]
        if dataset.dtype not in types or dataset.ndim != dimensions or not dataset.size:
            raise ValueError(
                f"{name}: expected {' or '.join(types)} in {dimensions} dimensions, "
                f"found {dataset.dtype} of shape {dataset.shape}"
            )


def _check_lengths(datasets: Mapping[str, h5py.Dataset]) -> None:
    """Raise a `ValueError` unless the datasets describe the same sentences."""
    keys, ends, checksums = (datasets[name] for name in (KEYS, ENDS, CHECKSUMS))
    if not len(keys) == len(ends) == len(checksums):
        raise ValueError(
            f"expected {KEYS}, {ENDS} and {CHECKSUMS} of one length, "
            f"found {len(keys)}, {len(ends)} and {len(checksums)}"
        )
    limits = numpy.concatenate([[0], ends[:]])
    tokens = len(datasets[LAYERS])
    if limits[-1] != tokens or (limits[1:] < limits[:-1]).any():
        raise ValueError(f"{ENDS}: expected ascending numbers up to {tokens}, found others")


def _index(datasets: Mapping[str, h5py.Dataset]) -> dict[bytes, _Stored]:
    ends, checksums = (datasets[name][:].tolist() for name in (ENDS, CHECKSUMS))
    positions = map(_Stored, [0, *ends], ends, checksums)
    return dict(zip((key.tobytes() for key in datasets[KEYS][:]), positions))


def _words(character_ids: torch.Tensor) -> list[str]:
    return [ids_to_word(ids) for ids in character_ids.tolist()]


def _json(words: list[str]) -> str:
    return json.dumps(words, ensure_ascii=False)
