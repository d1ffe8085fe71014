"""Deferring interrupts while a library calls back into Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, Optional, TypeVar

from typing_extensions import Self

Value = TypeVar("Value")


class DeferredInterrupts:
    """
    Defers SIGINT and SIGTERM until the block ends. Python raises `KeyboardInterrupt` wherever the
    main thread runs Python code, also in a function that a C library has called: HDF5 takes that
    for a failed write, and the interrupt is lost. In other threads, which Python does not
    interrupt, the block changes nothing.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._received: list[int] = []
        self._deferred = True

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                handler = signal.getsignal(number)
                if handler not in (None, signal.SIG_IGN):
                    self._handlers[number] = handler
                    signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._deferred = False
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._deliver()

    def interruptible(self, values: Iterable[Value]) -> Iterator[Value]:
        """Yield values, each of which takes long to compute: meanwhile, interrupts are raised."""
        iterator = iter(values)
        while True:
            self._deferred = False
            try:
                self._deliver()
                value = next(iterator)
            except StopIteration:
                return
            finally:
                self._deferred = True
            yield value

    def _receive(self, number: int, frame: Optional[FrameType]) -> None:
        self._received.append(number)
        if not self._deferred:
            self._deliver()

    def _deliver(self) -> None:
        while self._received:
            number = self._received.pop(0)
            handler = self._handlers[number]
            if callable(handler):
                handler(number, None)
            else:  # the default of the operating system
                signal.signal(number, handler)
                signal.raise_signal(number)
