"""The HDF5 file of AllenNLP 0.x's command `elmo`: a dataset per sentence."""

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
from elmo_plugin.weights.hdf5_writing import new_hdf5_file

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
    written = set[str]()
    with atomic_write(path) as temporary, new_hdf5_file(temporary) as file:
        shown = progress(sentences, "embedding", "sentences")
        for number, (sentence, layers) in enumerate(file.interruptible(shown)):
            key = sentence if use_sentence_keys else str(number)
            if key in written:
                raise ValueError(
                    f"{path}: expected sentences that differ, as use_sentence_keys names the data "
                    f"sets by them, found a second {sentence!r:.80}"
                )
            _write_dataset(file, key, select(layers), path)
            written.add(key)
            if not (forget_sentences or use_sentence_keys):
                index[sentence] = key
        if not (forget_sentences or use_sentence_keys):
            names = file.create_dataset(INDEX, (1,), dtype=h5py.string_dtype())
            names[0] = json.dumps(index)


def _write_dataset(file: h5py.File, key: str, vectors: numpy.ndarray, path: PathLike) -> None:
    try:
        file.create_dataset(key, data=vectors, dtype="float32")
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{path}: expected a sentence that can name a dataset of HDF5, as use_sentence_keys is "
            f"true, found {key!r:.80}, which is taken or stands for a group"
        ) from error


def read_sentences(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield each line, stripped; a blank one raises a `ValueError` that begins with `name`."""
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line:
            raise ValueError(
                f"{name}, line {number}: expected a sentence, found a blank line, which `elmo "
                "embed` keeps as an empty one"
            )
        yield line
