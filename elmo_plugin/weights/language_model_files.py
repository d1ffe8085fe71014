"""What a biLM needs beyond its weights to go on as a language model: vocabulary and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from elmo_plugin.layers import Bilm
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.weights.bilm_file import save_bilm
from elmo_plugin.weights.hdf5 import read_hdf5, storable, write_hdf5
from elmo_plugin.weights.whole_file import whole_file

NAMES = OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY = (
    "options.json",
    "weights.hdf5",
    "softmax.hdf5",
    "vocabulary.txt",
)
_WEIGHT, _BIAS = "softmax/W", "softmax/b"


def save_language_model(
    bilm: Bilm,
    softmax: Softmax,
    words: Sequence[str],
    directory: str | Path,
    dtype: torch.dtype = torch.float32,
) -> list[Path]:
    """
    Writes the biLM as `save_bilm` does, its softmax (softmax/W, one row a word, and softmax/b, as
    bilm-tf names them) and its vocabulary, one word a line, into a directory. Numbers are stored
    as `dtype`, of which HDF5 has float16, float32 and float64.

    # Returns

    `list[Path]` : options.json, weights.hdf5, softmax.hdf5 and vocabulary.txt.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    options, weights, softmax_file, vocabulary = paths = [
        directory / name for name in (OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY)
    ]
    datasets = storable({_WEIGHT: softmax.weight, _BIAS: softmax.bias}, dtype, softmax_file)
    with whole_file(softmax_file) as new_softmax, whole_file(vocabulary) as new_vocabulary:
        write_hdf5(datasets, new_softmax)
        new_vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        save_bilm(bilm, options, weights, dtype)
    return paths


def load_softmax(softmax_file: str | Path, words: Sequence[str], dim: int) -> Softmax:
    """
    The softmax that `save_language_model` wrote.

    # Parameters

    softmax_file : `str` or `Path`
    words : `Sequence[str]`
        The vocabulary that it must fit.
    dim : `int`
        The biLM's projection_dim.

    # Raises

    `ValueError` : the file cannot be read or does not fit; lists each wrong key and shape.
    """
    expected = {_WEIGHT: (len(words), dim), _BIAS: (len(words),)}
    message = f"does not fit {len(words)} words of {dim} values"
    datasets = read_hdf5(softmax_file, expected, message)
    softmax = Softmax(len(words), dim)
    softmax.load_state_dict({"weight": datasets[_WEIGHT], "bias": datasets[_BIAS]})
    return softmax


def read_vocabulary(vocabulary_file: str | Path) -> list[str]:
    """
    The words of a vocabulary file, one a line.

    # Raises

    `ValueError` : invalid UTF-8, an empty line or a word twice, naming file and line.
    """
    words: dict[str, int] = {}
    try:
        lines = Path(vocabulary_file).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{vocabulary_file}: expected UTF-8, found: {error}") from error
    for number, word in enumerate(lines[:-1] if lines[-1] == "" else lines, start=1):
        if not word.strip():
            raise ValueError(f"{vocabulary_file}, line {number}: expected a word, found none")
        if word in words:
            raise ValueError(
                f"{vocabulary_file}, line {number}: expected each word once, "
                f"found {word!r} as in line {words[word]}"
            )
        words[word] = number
    return list(words)
