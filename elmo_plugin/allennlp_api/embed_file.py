"""The HDF5 file of AllenNLP 0.x's command `elmo`: a data set per sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import h5py
import numpy

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.progress import progress
from elmo_plugin.embedding.formats.allennlp_hdf5 import INDEX
from elmo_plugin.weights.hdf5 import PathLike

OutputFormat = Literal["all", "top", "average"]

_SELECT: dict[str, Callable[[numpy.ndarray], numpy.ndarray]] = {
    "all": lambda layers: layers,
    "top": lambda layers: layers[-1],
    "average": lambda layers: layers.mean(0),
}


def write_vectors(
    sentences: Iterable[tuple[str, numpy.ndarray]],
    path: PathLike,
    output_format: OutputFormat,
    forget_sentences: bool,
    use_sentence_keys: bool,
) -> None:
    """
    Write vectors as they come; see `ElmoEmbedder.embed_file`.

    # Parameters

    sentences : `Iterable[Tuple[str, numpy.ndarray]]`
        Each sentence and its vectors, of shape (layers, tokens, dim).
    path : `str` or `Path`
    output_format : `str`
        "all", "top" or "average".
    forget_sentences, use_sentence_keys : `bool`
    """
    if output_format not in _SELECT:
        expected = ", ".join(_SELECT)
        raise ValueError(f"output_format: expected one of {expected}, got {output_format!r}")
    select = _SELECT[output_format]
    index: dict[str, str] = {}
    with atomic_write(path) as temporary, h5py.File(temporary, "w", locking=False) as file:
        for number, (sentence, layers) in enumerate(progress(sentences, "embedding", "sentences")):
            key = sentence if use_sentence_keys else str(number)
            if key in file:
                raise ValueError(
                    f"{path}: expected sentences that differ, as use_sentence_keys names the data "
                    f"sets by them, found a second {sentence!r:.80}"
                )
            file.create_dataset(key, data=select(layers), dtype="float32")
            if not (forget_sentences or use_sentence_keys):
                index[sentence] = key
        if not (forget_sentences or use_sentence_keys):
            names = file.create_dataset(INDEX, (1,), dtype=h5py.string_dtype())
            names[0] = json.dumps(index)


def read_sentences(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield each line, stripped; a blank one raises a `ValueError` that begins with `name`."""
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line:
            raise ValueError(
                f"{name}, line {number}: expected a sentence, found a blank line, which `elmo "
                "embed` keeps as an empty one"
            )
        yield line
