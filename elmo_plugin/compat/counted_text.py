"""Count the lines that are read from text files."""

from __future__ import annotations

import builtins
import codecs
import io
import threading
from collections.abc import Iterator
from typing import Any

_thread = threading.local()


class CountedText(io.TextIOWrapper):
    """Counts the lines that are read by iteration, from 1."""

    number = 0
    line = ""

    def __next__(self) -> str:  # type: ignore[override]
        line = super().__next__()
        self.record_line(self.number + 1, line)
        return line

    def readlines(self, hint: int | None = -1, /) -> list[str]:  # type: ignore[override]
        return _Lines(self, super().readlines(-1 if hint is None else hint))

    def record_line(self, number: int, line: str) -> None:
        """Make a line the last one that was read in this thread."""
        self.number, self.line = number, line
        _thread.text = self


class _Lines(list[str]):
    """All lines of a text, which counts again when they are iterated over."""

    def __init__(self, text: CountedText, lines: list[str]) -> None:
        super().__init__(lines)
        self._text = text

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(super().__iter__(), 1):
            self._text.record_line(number, line)
            yield line


def last_read() -> CountedText | None:
    """Return the text that this thread has read a line of last."""
    return getattr(_thread, "text", None)


def take_last_read() -> CountedText | None:
    """Return the text that this thread has read a line of since the last call, if any."""
    text = last_read()
    _thread.text = None
    return text


def open_counted(
    file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, **options: Any
) -> Any:
    """
    Open a file as `open` does; to read UTF-8, the default, as `CountedText` without a byte order
    mark.
    """
    if set(mode) - {"r", "t"} or codecs.lookup(encoding or "utf-8").name != "utf-8":
        return builtins.open(file, mode, buffering, encoding, **options)
    return CountedText(builtins.open(file, "rb"), "utf-8-sig", **options)
