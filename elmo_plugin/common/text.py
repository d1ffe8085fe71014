"""Text with one tokenized sentence per line, in one file or many, plain or gzipped."""

from __future__ import annotations

import glob
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

MAX_LINE_BYTES = 2**24
"""The longest line that is read, 16 MiB, so that no file can exhaust the memory."""

BYTE_ORDER_MARK = "\ufeff"

STANDARD_INPUT = "-"
"""The path that stands for it."""

JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
COLUMNS_SUFFIXES = (".conll", ".conllu", ".conll03")


def text_files(path: str) -> list[str]:
    """
    Return the files of `path`, a file or a glob, sorted.

    # Raises

    `ValueError` : no such file.
    """
    found_files = [path] if Path(path).is_file() else sorted(glob.glob(path, recursive=True))
    files = [file for file in found_files if Path(file).is_file()]
    if not files:
        found = "another kind of file" if Path(path).exists() else "none"
        raise ValueError(f"{path}: expected a text file or a glob of them, found {found}")
    return files


def sentence_files(path: str) -> list[str]:
    """
    Return the files of `path`, a file or a glob, with one sentence per line.

    # Raises

    `ValueError` : no such file, or one whose name stands for columns or JSON lines.
    """
    files = text_files(path)
    for file in files:
        if file.lower().removesuffix(".gz").endswith(JSON_LINES_SUFFIXES + COLUMNS_SUFFIXES):
            raise ValueError(
                f"{file}: expected text with one tokenized sentence per line, found the name of a "
                "file with columns or JSON lines; write its sentences to a text file"
            )
    return files


def iter_sentences(path: str) -> Iterator[list[str]]:
    """
    Yield the sentences of all files of `path`, a file or a glob, as lists of tokens.

    # Raises

    `ValueError` : see `sentence_files` and `numbered_lines`.
    """
    for file in sentence_files(path):
        yield from read_sentences(file)


def read_sentences(file: str) -> Iterator[list[str]]:
    """
    Return the tokens of each line of one file; see `read_lines`. Tokens are separated by Unicode
    white space, the no-break and the ideographic space included (`str.split`).
    """
    return map(str.split, read_lines(file))


def read_lines(file: str) -> Iterator[str]:
    """Return the lines of one file, stripped, without blank ones; see `numbered_lines`."""
    return (stripped for _, line in numbered_lines(file) if (stripped := line.strip()))


def check_words(path: str) -> None:
    """
    Read a file up to its first line that is not blank.

    # Raises

    `ValueError` : no such line, or see `numbered_lines`.
    """
    for _, line in numbered_lines(path):
        if line.strip():
            return


def numbered_lines(path: str, descriptor: int | None = None) -> Iterator[tuple[int, str]]:
    """
    Yield all lines of one file, blank ones included, with their numbers from 1; of an open file by
    its `descriptor`, where `path` is its name in errors. A byte order mark at the start is removed.
    Lines end at "\\n" or "\\r\\n" only.

    # Raises

    `ValueError` : invalid UTF-8, broken gzip, a line of more than `MAX_LINE_BYTES`, or a last line
    that "\\r" divides, with file and line; or a file without words.
    """
    number, blank = 0, True
    try:
        with _open(path, descriptor) as lines:
            for encoded in iter(lambda: lines.readline(MAX_LINE_BYTES + 1), b""):
                number += 1
                if len(encoded) > MAX_LINE_BYTES:
                    raise ValueError(
                        f"{path}, line {number}: expected at most {MAX_LINE_BYTES} bytes per "
                        "line, found more"
                    )
                line = encoded.decode("utf-8").rstrip("\r\n")
                if "\r" in line and not encoded.endswith(b"\n"):
                    raise ValueError(
                        f"{path}, line {number}: expected lines that end at \\n or \\r\\n, found "
                        "some that end at \\r alone"
                    )
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                blank = blank and not line.strip()
                yield number, line
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(
            f"{path}, near line {number}: expected UTF-8 text, plain or in .gz, found: {error}"
        ) from error
    if blank:
        raise ValueError(f"{path}: expected text, found no words")


def _open(path: str, descriptor: int | None) -> BinaryIO | gzip.GzipFile:
    if descriptor is not None:
        return open(descriptor, "rb", closefd=False)
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else open(path, "rb")
