"""A biLM's layers, read from the file that holds them (see layers_file.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy
import torch

from elmo_plugin.layers import ids_to_word
from elmo_plugin.layers.bilm import BilmOutput
from elmo_plugin.layers.characters import check_ids
from elmo_plugin.layers.sentence_layers import join_sentences, sentence_keys
from elmo_plugin.weights.layers_file import ENDS, KEYS, LAYERS, MAX_CHARACTERS, TOKENS, PathLike


class StoredLayers(torch.nn.Module):
    """
    Gives what the biLM gave that the file was written with, for the sentences in it.

    # Parameters

    path : `str` or `Path`
        As `write_layers` wrote it.

    # Raises

    `ValueError` : another kind of file.
    `FileNotFoundError` : as it says.
    """

    def __init__(self, path: PathLike) -> None:
        super().__init__()
        self.path = path
        self._file = _open(path)
        self._layers = self._file[LAYERS]
        self.mixture_size, self.output_dim = self._layers.shape[1:]
        self._max_characters = int(self._file.attrs[MAX_CHARACTERS])
        keys = [key.tobytes() for key in self._file[KEYS][:]]
        ends = self._file[ENDS][:].tolist()
        self._places = dict(zip(keys, zip([0, *ends], ends)))

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredLayers, (self.path,)

    def forward(self, character_ids: torch.Tensor) -> BilmOutput:
        """
        # Parameters

        character_ids : `torch.Tensor`
            Shape (batch, tokens, characters).

        # Returns

        `BilmOutput` : as the biLM's.

        # Raises

        `ValueError` : a sentence that is not in the file, tokenized in this way; says which.
        """
        mask = check_ids(character_ids, self._max_characters)
        keys = sentence_keys(character_ids, mask)
        for row, key in enumerate(keys):
            if key not in self._places and mask[row].any():
                words = [ids_to_word(ids) for ids in character_ids[row, mask[row]].tolist()]
                raise ValueError(self._absence(words))
        sentences = [self._read(*self._places.get(key, (0, 0))) for key in keys]
        return join_sentences(sentences, mask, self.mixture_size, self.output_dim)

    def _read(self, start: int, end: int) -> torch.Tensor:
        return torch.from_numpy(self._layers[start:end].astype(numpy.float32, copy=False))

    def _absence(self, words: list[str]) -> str:
        text = "".join(words).casefold()
        for stored in map(json.loads, self._file[TOKENS].asstr()):
            if "".join(stored).casefold() == text:
                found = f"the same text with other tokens, {json.dumps(stored, ensure_ascii=False)}"
                break
        else:
            found = f"none such among {len(self._places)} sentences"
        expected = json.dumps(words, ensure_ascii=False)
        return f"{self.path}: expected the layers of the sentence {expected}, found {found}"


def _open(path: PathLike) -> h5py.File:
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: expected a file that `elmo embed` wrote, found none")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise ValueError(f"{path}: expected a whole HDF5 file, found: {error}") from error
    missing = [name for name in (LAYERS, ENDS, KEYS, TOKENS) if name not in file]
    if missing or MAX_CHARACTERS not in file.attrs:
        raise ValueError(
            f"{path}: expected a file that `elmo embed` wrote, found none of its "
            f"{', '.join(missing) or MAX_CHARACTERS}"
        )
    return file
