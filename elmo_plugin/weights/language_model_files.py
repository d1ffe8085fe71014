"""What a biLM needs beyond its weights to go on as a language model: vocabulary and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_plugin.layers import Bilm
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.weights.bilm_file import save_bilm, write_hdf5
from elmo_plugin.weights.whole_file import whole_file

OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY = (
    "options.json",
    "weights.hdf5",
    "softmax.hdf5",
    "vocabulary.txt",
)


def save_language_model(
    bilm: Bilm, softmax: Softmax, words: Sequence[str], directory: str | Path
) -> list[Path]:
    """
    Writes the biLM as `save_bilm` does, its softmax (softmax/W, one row a word, and softmax/b, as
    bilm-tf names them) and its vocabulary, one word a line, into a directory.

    # Returns

    `list[Path]` : options.json, weights.hdf5, softmax.hdf5 and vocabulary.txt.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    options, weights, softmax_file, vocabulary = paths = [
        directory / name for name in (OPTIONS, WEIGHTS, SOFTMAX, VOCABULARY)
    ]
    with whole_file(softmax_file) as new_softmax, whole_file(vocabulary) as new_vocabulary:
        write_hdf5({"softmax/W": softmax.weight, "softmax/b": softmax.bias}, new_softmax)
        new_vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        save_bilm(bilm, options, weights)
    return paths
