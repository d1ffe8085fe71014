"""Name the file and line at which a DatasetReader fails."""

import os
import traceback
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance

from elmo_plugin.common.tracebacks import raised_in
from elmo_plugin.compat.counted_text import CountedText, take_last_read

# Raised by readers for text in another format, which they use before they check it.
_READING_ERRORS = (
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_MAX_ERROR_CHARACTERS = 600
_MAX_LINE_CHARACTERS = 200


class Reading:
    """
    One call of a reader's `read`.

    # Parameters

    reader : `DatasetReader`
    file_path : `Any`
        Argument of `read`.
    """

    def __init__(self, reader: DatasetReader, file_path: Any) -> None:
        self._reader, self._file_path = reader, file_path
        self._count = 0
        self._text: Optional[CountedText] = None
        self._first_line = 1
        """The first line that was read after the last instance."""

    def instances(self, read: Iterable[Instance]) -> Iterator[Instance]:
        """
        Yield the instances, and describe errors by file and line.

        # Parameters

        read : `Iterable[Instance]`
            Instances, as the reader's `read` yields them.

        # Raises

        `ConfigurationError` : the reader fails or finds no instance; names the file, and the line
        if the reader reads lines.
        """
        take_last_read()
        try:
            for instance in read:
                self._update()
                self._count += 1
                yield instance
                # Others may have read in the meantime.
                take_last_read()
                self._first_line = self._text.number + 1 if self._text else 1
        except (ConfigurationError, *_READING_ERRORS) as error:
            self._update()
            raise ConfigurationError(self._describe(error)) from error
        # A small file may have no instance for one of several workers.
        reader = self._reader
        shared = (reader.get_worker_info(), reader.get_distributed_info()) != (None, None)
        if self._count == 0 and not shared:
            raise ConfigurationError(
                f"{self._file_path}: expected the format of {type(reader).__name__}, found no "
                "instance"
            )

    def _update(self) -> None:
        text = take_last_read()
        if text is not None and text is not self._text:
            self._text, self._first_line = text, 1

    def _describe(self, error: Exception) -> str:
        message = " ".join(str(error).split())
        if not _is_clear(error):
            problem = message or traceback.extract_tb(error.__traceback__)[-1].line
            message = (
                f"expected the format of {type(self._reader).__name__}, found {self._found()} "
                f"({type(error).__name__}: {problem})"
            )
        if str(self._file_path) not in message:
            message = f"{self._location()}: {message}"
        if len(message) > _MAX_ERROR_CHARACTERS:
            message = f"{message[:_MAX_ERROR_CHARACTERS]}..."
        return message

    def _location(self) -> str:
        text = self._text
        if text is None:
            return str(self._file_path)
        path, name = str(self._file_path), os.fsdecode(text.name)
        name = name if name.startswith(path) else f"{path}: {name}"
        lines = f"lines {self._first_line} to" if self._is_block() else "line"
        return f"{name}, {lines} {text.number}"

    def _found(self) -> str:
        if self._text is None or self._is_block():
            return f"another after {self._count} instances"
        return repr(self._text.line.strip()[:_MAX_LINE_CHARACTERS])

    def _is_block(self) -> bool:
        """Return True if the instance has several lines: their reader stops at a blank one."""
        text = self._text
        return text is not None and not text.line.strip() and self._first_line < text.number


def _is_clear(error: Exception) -> bool:
    """Return True for errors that say what was expected: AllenNLP's, and those of this package."""
    if isinstance(error, ConfigurationError):
        return True
    return type(error) is ValueError and raised_in(error).startswith("elmo_plugin.")
