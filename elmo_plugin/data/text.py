"""Text with one tokenized sentence a line, in one file or many, plain or gzipped."""

import glob
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from allennlp.common.checks import ConfigurationError


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
    """The words of each line of one file, split at white space; see `read_lines`."""
    return map(str.split, read_lines(file))


def read_lines(file: str) -> Iterator[str]:
    """The lines of one file; blank ones are passed over. Raises as `numbered_lines` does."""
    return (stripped for _, line in numbered_lines(file) if (stripped := line.strip()))


def numbered_lines(file: str) -> Iterator[tuple[int, str]]:
    """
    Every line of one file, blank or not, with its number from 1.

    # Raises

    `ConfigurationError` : invalid UTF-8 or broken gzip, naming file and line, or no words at all.
    """
    line_number, empty = 0, True
    try:
        with gzip.open(file, "rb") if file.endswith(".gz") else open(file, "rb") as lines:
            for encoded in lines:
                line_number += 1
                line = encoded.decode("utf-8").rstrip("\r\n")
                empty = empty and not line.strip()
                yield line_number, line
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConfigurationError(
            f"{file}, near line {line_number}: expected UTF-8 text, plain or in .gz, found: {error}"
        ) from error
    if empty:
        raise ConfigurationError(f"{file}: expected text, found no words")
