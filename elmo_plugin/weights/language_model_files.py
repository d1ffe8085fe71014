"""The files of a trained biLM: what lies at a path, and its vocabulary and softmax."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.weights.bilm_file import save_bilm
from elmo_plugin.weights.hdf5 import open_hdf5, read_hdf5, storable, write_hdf5

NAMES = OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY = (
    "options.json",
    "weights.hdf5",
    "softmax.hdf5",
    "vocabulary.txt",
)
_OURS, _TRAINING = (WEIGHTS, OPTIONS, VOCABULARY), "config.json"
WEIGHT_SUFFIXES = (".hdf5", ".h5")
_WEIGHT, _BIAS = "softmax/W", "softmax/b"

_NO_WORD = "!!!MAXTERMID"
"""Ends the published vocabularies. bilm-tf does not count it."""


@dataclass(frozen=True)
class LanguageModelFiles:
    """
    A biLM's weight file and what lies beside it, by the names that `elmo export` gives or by those
    of the published models:

    | `elmo export` | published |
    |---|---|
    | weights.hdf5 | NAME_weights.hdf5 |
    | options.json | NAME_options.json |
    | softmax.hdf5 | NAME_softmax_weights.hdf5 |
    | vocabulary.txt | vocab-2016-09-10.txt, or any other vocab*.txt that is the only one |

    # Parameters

    weights : `str`
        A path, or a URL, beside which only options are looked for.
    """

    weights: str

    @property
    def options(self) -> str:
        stem, _ = os.path.splitext(os.path.basename(self.weights))
        return self._beside(f"{stem.replace('weights', 'options')}.json")

    @property
    def softmax(self) -> str | None:
        """The file of the softmax, if there is one."""
        name = os.path.basename(self.weights).replace("weights", "softmax_weights")
        paths = [path for path in map(self._beside, (name, SOFTMAX)) if path != self.weights]
        return next(filter(os.path.isfile, paths), None)

    @property
    def vocabulary(self) -> str | None:
        """The file of the softmax's words, if there is one."""
        exported = self._beside(VOCABULARY)
        if os.path.isfile(exported):
            return exported
        found = sorted(glob.glob("vocab*.txt", root_dir=os.path.dirname(self.weights) or None))
        if len(found) > 1:
            raise ValueError(
                f"{self.weights}: expected one vocabulary beside it, found {', '.join(found)}; "
                f"name the one that belongs to it {VOCABULARY}"
            )
        return self._beside(found[0]) if found else None

    def read_words(self) -> list[str]:
        """
        The words in the order of the softmax's rows. A final line !!!MAXTERMID is a word only
        where the softmax has a row for it.

        # Raises

        `ValueError` : there is no vocabulary, or it cannot be read.
        """
        if self.vocabulary is None:
            raise ValueError(
                f"{self.weights}: expected the words that it predicts beside it, in {VOCABULARY} "
                "or as published (vocab-2016-09-10.txt), found none. Take a vocabulary of type "
                "bilm_text; a new softmax is then fitted first"
            )
        words = read_vocabulary(self.vocabulary)
        if words[-1:] != [_NO_WORD]:
            return words
        rows = None if self.softmax is None else _num_rows(self.softmax)
        return words if rows == len(words) else words[:-1]

    def _beside(self, name: str) -> str:
        return os.path.join(os.path.dirname(self.weights), name)


def find_files(path: str) -> LanguageModelFiles | None:
    """
    The files of the biLM at `path`, a folder or a weight file; `None` for an archive or the folder
    of a training, which AllenNLP reads.

    # Raises

    `FileNotFoundError` : a folder with neither.
    """
    held = [name for name in (*_OURS, _TRAINING) if os.path.isfile(os.path.join(path, name))]
    if os.path.isdir(path or ".") and not held:
        raise FileNotFoundError(
            f"{path!r}: expected a trained biLM, with {OPTIONS} and {WEIGHTS} or with the "
            f"{_TRAINING} of its training, found a folder with none of them"
        )
    if set(held) & set(_OURS):
        return LanguageModelFiles(os.path.join(path, WEIGHTS))
    return LanguageModelFiles(path) if path.endswith(WEIGHT_SUFFIXES) else None


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
    with atomic_write(softmax_file) as new_softmax, atomic_write(vocabulary) as new_vocabulary:
        write_hdf5(datasets, new_softmax)
        new_vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        save_bilm(bilm, options, weights, dtype)
    return paths


def load_softmax(softmax_file: str | Path, words: Sequence[str], dim: int) -> Softmax:
    """
    The softmax that `save_language_model` wrote, or one that was dumped from bilm-tf.

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
    softmax = Softmax(len(words), dim)
    softmax.load_state_dict({"weight": datasets[_WEIGHT], "bias": datasets[_BIAS]})
    return softmax


def read_vocabulary(vocabulary_file: str | Path) -> list[str]:
    """
    The words of a vocabulary file, one a line. A byte order mark at its start is left out.

    # Raises

    `ValueError` : invalid UTF-8, an empty line or a word twice, naming file and line.
    """
    words: dict[str, int] = {}
    try:
        # Not read_text, for which a carriage return alone ends a line, too.
        lines = Path(vocabulary_file).read_bytes().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{vocabulary_file}: expected UTF-8, found: {error}") from error
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines, start=1):
        word = line.removesuffix("\r")
        if not word.strip(" \t"):
            raise ValueError(f"{vocabulary_file}, line {number}: expected a word, found none")
        if word in words:
            raise ValueError(
                f"{vocabulary_file}, line {number}: expected each word once, "
                f"found {word!r} as in line {words[word]}"
            )
        words[word] = number
    return list(words)


def _num_rows(softmax_file: str) -> int | None:
    with open_hdf5(softmax_file) as datasets:
        shape = datasets[_WEIGHT].shape if _WEIGHT in datasets else None
    return shape[0] if shape else None
