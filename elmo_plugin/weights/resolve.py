"""Resolves a path or name to the trained biLM that it holds."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path

from elmo_plugin.common.gzip_files import is_gzip

BUILT_IN = "built-in"
"""Names the biLM that comes with the package wherever a path to a trained biLM is expected."""

BUILT_IN_FOLDER = Path(__file__).parents[1] / "pretrained"

NAMES = OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY = (
    "options.json",
    "weights.hdf5",
    "softmax.hdf5",
    "vocabulary.txt",
)
"""Files of a directory that `elmo export` writes."""

_TRAINING = "config.json"
_WEIGHT_SUFFIXES = (".hdf5", ".h5")
_ARCHIVE_SUFFIX = ".tar.gz"
_OTHER_FILES = (OPTIONS, SOFTMAX, VOCABULARY, "softmax_weights.hdf5")


@dataclass(frozen=True)
class LanguageModelFiles:
    """
    A biLM's weight file and the files beside it, by the names that `elmo export` gives or by those
    of the published models:

    | `elmo export` | published |
    |---|---|
    | weights.hdf5 | NAME_weights.hdf5 |
    | options.json | NAME_options.json |
    | softmax.hdf5 | NAME_softmax_weights.hdf5 |
    | vocabulary.txt | vocab-2016-09-10.txt, or any other vocab*.txt that is the only one |

    # Parameters

    weights : `str`
        Path or URL. Softmax and vocabulary are found beside a path only.
    """

    weights: str

    @property
    def options(self) -> str:
        """Path or URL of the options."""
        stem, _ = os.path.splitext(os.path.basename(self.weights))
        return self._beside(f"{stem.replace('weights', 'options')}.json")

    @property
    def softmax(self) -> str | None:
        """Path of the softmax, or None."""
        own = os.path.basename(self.weights)
        names = [own.replace("weights", "softmax_weights")]
        if not self._is_beside_another:
            names.append(SOFTMAX)
        found = (self._beside(name) for name in names if name != own)
        return next(filter(os.path.isfile, found), None)

    @property
    def vocabulary(self) -> str | None:
        """
        Path of the words that the softmax predicts, or None.

        # Raises

        `ValueError` : several files could be meant.
        """
        exported = self._beside(VOCABULARY)
        if os.path.isfile(exported) and not self._is_beside_another:
            return exported
        root = os.path.dirname(self.weights) or None
        found = sorted({*glob.glob("vocab*.txt", root_dir=root)} - {VOCABULARY})
        if len(found) > 1:
            raise ValueError(
                f"{self.weights}: expected one vocabulary beside it, found {', '.join(found)}; "
                f"name the one that belongs to it {VOCABULARY}"
            )
        return self._beside(found[0]) if found else None

    @property
    def _is_beside_another(self) -> bool:
        """True if the files with the names of an export belong to another biLM."""
        own = os.path.basename(self.weights)
        return own != WEIGHTS and os.path.isfile(self._beside(WEIGHTS))

    def _beside(self, name: str) -> str:
        return os.path.join(os.path.dirname(self.weights), name)


@dataclass(frozen=True)
class TrainingArchive:
    """
    A biLM that AllenNLP trained: a model.tar.gz or its URL, or the serialization directory of the
    training run.
    """

    path: str


def resolve(path: str) -> LanguageModelFiles | TrainingArchive:
    """
    Find out what a path to a trained biLM holds, by names and, where these do not tell, by the
    first bytes.

    # Parameters

    path : `str`
        "built-in"; a directory that `elmo export` wrote; a weight file (.hdf5, .h5) or its URL; or
        a biLM's model.tar.gz, its URL, or the directory that it was trained in.

    # Returns

    `LanguageModelFiles` : a weight file, with its other files beside it.
    `TrainingArchive` : what AllenNLP trained.

    # Raises

    `FileNotFoundError` : there is nothing, or a directory that holds no biLM.
    `ValueError` : a biLM's file other than its weights, or another kind of file.
    """
    path = str(BUILT_IN_FOLDER) if path == BUILT_IN else os.path.expanduser(path)
    files = {name for name in (*NAMES, _TRAINING) if os.path.isfile(os.path.join(path, name))}
    if files & {WEIGHTS, OPTIONS, VOCABULARY}:
        return LanguageModelFiles(os.path.join(path, WEIGHTS))
    if os.path.isdir(path or ".") and _TRAINING not in files:
        raise FileNotFoundError(
            f"{path!r}: expected a trained biLM, with {OPTIONS} and {WEIGHTS} or with the "
            f"{_TRAINING} of its training, found a directory with none of them"
        )
    if path.endswith(_OTHER_FILES) and os.path.isfile(path):
        raise ValueError(
            f"{path}: expected the directory of a biLM or its weight file, such as "
            f"{os.path.join(os.path.dirname(path), WEIGHTS)}, found another of its files"
        )
    if path.endswith(_WEIGHT_SUFFIXES):
        return LanguageModelFiles(path)
    if "://" not in path and not os.path.exists(path):
        raise FileNotFoundError(f"{path}: expected a trained biLM, found no such file or directory")
    if os.path.isfile(path) and not (path.endswith(_ARCHIVE_SUFFIX) or is_gzip(path)):
        raise ValueError(
            f"{path}: expected a trained biLM: a directory, a weight file "
            f"({', '.join(_WEIGHT_SUFFIXES)}) or model{_ARCHIVE_SUFFIX}, found another kind of file"
        )
    return TrainingArchive(path)


def is_archive(path: str) -> bool:
    """Return True if AllenNLP has to read what the path holds; raises as `resolve` does."""
    return isinstance(resolve(path), TrainingArchive)
