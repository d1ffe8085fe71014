"""Reading and writing a whole language model: biLM, softmax and the words that it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.downloads import local_path
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.weights.bilm_file import load_bilm, save_bilm
from elmo_plugin.weights.hdf5 import open_hdf5, read_hdf5
from elmo_plugin.weights.hdf5_writing import storable, write_hdf5
from elmo_plugin.weights.resolve import NAMES, VOCABULARY, LanguageModelFiles
from elmo_plugin.weights.vocabulary_file import read_vocabulary, special_tokens_first

_WEIGHT, _BIAS = "softmax/W", "softmax/b"

_NO_WORD = "!!!MAXTERMID"
"""Ends the published vocabularies. bilm-tf does not count it."""


class PretrainedWeights(NamedTuple):
    """Pretrained weights; the softmax is optional."""

    path: str
    bilm: Bilm
    softmax: Softmax | None = None
    words: list[str] | None = None
    """Words of the softmax's rows, special tokens first."""


def load_language_model_files(files: LanguageModelFiles) -> PretrainedWeights:
    """
    Read a biLM and, where there is one, its softmax, with special tokens first.

    # Raises

    `ValueError` : names the file, and what is wrong with it.
    `FileNotFoundError` : no options or no weights.
    """
    bilm = load_bilm(local_path(files.options), local_path(files.weights))
    if files.softmax is None:
        return PretrainedWeights(files.weights, bilm)
    rows = _read_rows(files)
    softmax = load_softmax(files.softmax, rows, bilm.config.projection_dim)
    words = special_tokens_first(rows, str(files.vocabulary))
    if rows != words:
        _reorder(softmax, rows, words)
    return PretrainedWeights(files.weights, bilm, softmax, words)


def read_words(files: LanguageModelFiles) -> list[str]:
    """
    Read the words of a language model, special tokens first.

    # Raises

    `ValueError` : there is no vocabulary, it cannot be read, or it lacks a special token.
    """
    return special_tokens_first(_read_rows(files), str(files.vocabulary))


def load_softmax(softmax_file: str | Path, words: Sequence[str], dim: int) -> Softmax:
    """
    Read a softmax that `save_language_model` wrote, or one that was dumped from bilm-tf.

    # Parameters

    softmax_file : `str` or `Path`
    words : `Sequence[str]`
        The words of its rows, in order.
    dim : `int`
        The biLM's projection_dim.

    # Raises

    `ValueError` : the file cannot be read or does not fit; lists each wrong key and shape.
    """
    expected = {_WEIGHT: (len(words), dim), _BIAS: (len(words),)}
    message = f"does not fit {len(words)} words of {dim} values"
    datasets = read_hdf5(softmax_file, expected, message)
    softmax = Softmax(len(words), dim).float()  # whatever PyTorch's default type
    softmax.load_state_dict({"weight": datasets[_WEIGHT], "bias": datasets[_BIAS]})
    return softmax


def save_language_model(
    bilm: Bilm,
    softmax: Softmax,
    words: Sequence[str],
    directory: str | Path,
    dtype: torch.dtype = torch.float32,
) -> list[Path]:
    """
    Write the biLM as `save_bilm` does, its softmax (softmax/W, one row per word, and softmax/b, as
    bilm-tf names them) and its vocabulary, one word per line, into a directory.

    # Parameters

    bilm : `Bilm`
    softmax : `Softmax`
        A row for each of `words`.
    words : `Sequence[str]`
    directory : `str` or `Path`
        Made if missing.
    dtype : `torch.dtype`, optional (default = `torch.float32`)
        Type of the stored numbers: float16, float32 or float64.

    # Returns

    `List[Path]` : options.json, weights.hdf5, softmax.hdf5 and vocabulary.txt.

    # Raises

    `ValueError` : a weight that is not finite, or that `dtype` cannot hold; names the file and the
    dataset.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    options, weights, softmax_file, vocabulary = paths = [directory / name for name in NAMES]
    datasets = storable({_WEIGHT: softmax.weight, _BIAS: softmax.bias}, dtype, softmax_file)
    with atomic_write(softmax_file) as new_softmax, atomic_write(vocabulary) as new_vocabulary:
        write_hdf5(datasets, new_softmax)
        new_vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        save_bilm(bilm, options, weights, dtype)
    return paths


def _read_rows(files: LanguageModelFiles) -> list[str]:
    if files.vocabulary is None:
        removal = f"remove {files.softmax} and " if files.softmax else ""
        raise ValueError(
            f"{files.weights}: expected the words that it predicts beside it, in {VOCABULARY} "
            f"or as published (vocab-2016-09-10.txt), found none. To fit a new softmax, {removal}"
            "use a vocabulary of type bilm_text"
        )
    words = read_vocabulary(files.vocabulary)
    if words[-1:] != [_NO_WORD]:
        return words
    # It is a word only where the softmax has a row for it.
    rows = None if files.softmax is None else _num_rows(files.softmax)
    return words if rows == len(words) else words[:-1]


def _num_rows(softmax_file: str) -> int | None:
    with open_hdf5(softmax_file) as datasets:
        shape = datasets[_WEIGHT].shape if _WEIGHT in datasets else None
    return shape[0] if shape else None


def _reorder(softmax: Softmax, rows: list[str], words: list[str]) -> None:
    index = {word: row for row, word in enumerate(rows)}
    order = torch.tensor([index[word] for word in words])
    for parameter in softmax.parameters():
        parameter.data = parameter.data[order]
