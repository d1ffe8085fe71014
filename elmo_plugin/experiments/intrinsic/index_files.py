"""The files of a corpus index: a vector for each token of a corpus."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy

from elmo_plugin.common.atomic_write import atomic_directory
from elmo_plugin.common.checksums import sha256_of, sha256_of_text
from elmo_plugin.common.json_text import read_json
from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import text_files
from elmo_plugin.embedding.text import SentenceFile, input_format, token_column
from elmo_plugin.experiments.intrinsic.corpus_encoder import CorpusEncoder, IndexConfig
from elmo_plugin.experiments.intrinsic.representations import BATCH_SIZE

VECTORS, STARTS, SENTENCES, DESCRIPTION = "vectors.npy", "starts.npy", "sentences.txt", "index.json"

_CHECKSUM = "checksum"
_NO_BREAK_SPACE = "\u00a0"


def build_index(
    text: str,
    directory: str,
    config: IndexConfig,
    device: str = "cpu",
    batch_size: int = BATCH_SIZE,
) -> int:
    """
    Write the index of a corpus, atomically.

    # Parameters

    text : `str`
        A file or a glob: one tokenized sentence per line, or columns or JSON lines, by the name
        (see `SentenceFile`).
    directory : `str`
        Must not exist.
    config : `IndexConfig`
    device : `str`, optional (default = `"cpu"`)
    batch_size : `int`, optional (default = `64`)

    # Returns

    `int` : number of tokens.

    # Raises

    `ValueError` : no text, an unknown layer, or an existing directory.
    """
    # A `Path` has no slash at its end, with which a file would not exist.
    if os.path.lexists(Path(directory)):
        raise ValueError(f"{directory}: expected nothing there, found a file or directory")
    encoder = CorpusEncoder(config, device)
    Path(directory).parent.mkdir(parents=True, exist_ok=True)
    with atomic_directory(directory) as files:
        num_tokens = _write_sentences(text, files)
        _write_vectors(text, encoder, num_tokens, files, batch_size)
        _write_description(text, config, encoder.fingerprint(), files)
    return num_tokens


def _write_sentences(text: str, files: Path) -> int:
    """Write the sentences and the position of the first token of each; return the last's end."""
    starts = [0]
    with (files / SENTENCES).open("w", encoding="utf-8") as lines:
        for sentence in _sentences(text):
            # Columns and JSON may have white space within a token.
            tokens = (_NO_BREAK_SPACE.join(token.split()) for token in sentence)
            lines.write(f"{' '.join(tokens)}\n")
            starts.append(starts[-1] + len(sentence))
    numpy.save(files / STARTS, numpy.array(starts))
    return starts[-1]


def _sentences(text: str) -> Iterator[list[str]]:
    for path in text_files(text):
        file = SentenceFile(path, input_format(path), column=token_column(path))
        yield from (sentence for sentence in file if sentence)


def _write_vectors(
    text: str, encoder: CorpusEncoder, num_tokens: int, files: Path, batch_size: int
) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (num_tokens, encoder.dim)}
    sentences = progress(_sentences(text), "index", "sentences")
    with (files / VECTORS).open("wb") as file:
        numpy.lib.format.write_array_header_1_0(file, header)
        for encoded in encoder.stream(sentences, batch_size):
            file.write(encoded.astype("<f4").tobytes())


def _write_description(text: str, config: IndexConfig, fingerprint: str, files: Path) -> None:
    description: dict[str, Any] = {
        "text": text,
        "fingerprint": fingerprint,
        **config._asdict(),
        "files": {name: sha256_of(files / name) for name in (VECTORS, STARTS, SENTENCES)},
    }
    description[_CHECKSUM] = _checksum(description)
    (files / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")


def read_description(directory: str) -> dict[str, Any]:
    """
    Read index.json.

    # Raises

    `ValueError` : not an index, or a damaged one.
    """
    file = Path(directory, DESCRIPTION)
    if not file.is_file():
        raise ValueError(f"{directory}: expected an index of a corpus, found none")
    content = read_json(file)
    if not isinstance(content, dict) or content.get(_CHECKSUM) != _checksum(content):
        raise ValueError(_damaged(file))
    if not content.keys() >= set(IndexConfig._fields):  # an earlier version's
        raise ValueError(_damaged(file))
    return content


def check_files(directory: str, description: dict[str, Any]) -> None:
    """
    Check the other files of an index.

    # Raises

    `ValueError` : a file with another checksum than index.json says; names it.
    """
    for name, checksum in description["files"].items():
        if sha256_of(Path(directory, name)) != checksum:
            raise ValueError(_damaged(Path(directory, name)))


def _damaged(file: Path) -> str:
    return (
        f"{file}: expected the file that `elmo index` wrote, found another or a damaged one; make "
        "the index again"
    )


def _checksum(description: dict[str, Any]) -> str:
    rest = {key: value for key, value in description.items() if key != _CHECKSUM}
    return sha256_of_text(json.dumps(rest, sort_keys=True))
