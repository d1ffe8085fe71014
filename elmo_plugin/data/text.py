"""Text with one tokenized sentence a line, in one file or many, plain or gzipped."""

import glob
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from allennlp.common.checks import ConfigurationError

MAX_LINE_BYTES = 2**24
"""The longest line that is read, so that no file can exhaust the memory: 16 MiB."""

_BOM = "\ufeff"


def text_files(path: str) -> list[str]:
    """
    The files that `path`, a file or a glob, stands for, sorted.

    # Raises

    `ConfigurationError` : there is none.
    """
    files = (
        [path] if Path(path).is_file() else sorted(f for f in glob.glob(path) if Path(f).is_file())
    )
    if not files:
        raise ConfigurationError(f"{path}: expected a text file or a glob of them, found none")
    return files


def read_sentences(file: str) -> Iterator[list[str]]:
    """
    The words of each line of one file; see `read_lines`. Words are apart by what Unicode counts as
    white space, the no-break and the ideographic space included (`str.split`).
    """
    return map(str.split, read_lines(file))


def read_lines(file: str) -> Iterator[str]:
    """The lines of one file; blank ones are passed over. Raises as `numbered_lines` does."""
    return (stripped for _, line in numbered_lines(file) if (stripped := line.strip()))


def numbered_lines(file: str) -> Iterator[tuple[int, str]]:
    """
    Every line of one file, blank or not, with its number from 1. A byte order mark at the file's
    start is left out. Lines end at "\\n" or "\\r\\n" only.

    # Raises

    `ConfigurationError` : invalid UTF-8, broken gzip or a line of more than `MAX_LINE_BYTES`,
    naming file and line; or no words at all.
    """
    line_number, empty = 0, True
    try:
        with gzip.open(file, "rb") if file.endswith(".gz") else open(file, "rb") as lines:
            for encoded in iter(lambda: lines.readline(MAX_LINE_BYTES + 1), b""):
                line_number += 1
                if len(encoded) > MAX_LINE_BYTES:
                    raise ConfigurationError(
                        f"{file}, line {line_number}: expected at most {MAX_LINE_BYTES} bytes in "
                        "a line, found more"
                    )
                line = encoded.decode("utf-8").rstrip("\r\n")
                if line_number == 1:
                    line = line.removeprefix(_BOM)
                empty = empty and not line.strip()
                yield line_number, line
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConfigurationError(
            f"{file}, near line {line_number}: expected UTF-8 text, plain or in .gz, found: {error}"
        ) from error
    if empty:
        raise ConfigurationError(f"{file}: expected text, found no words")
