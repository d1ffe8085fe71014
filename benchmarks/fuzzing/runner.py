"""Running many inputs in worker processes. A worker that hangs or dies costs one input."""

from __future__ import annotations

import itertools
import os
import resource
import signal
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import NamedTuple, Union

from fuzzing.attempt import SECONDS, Outcome, numbered
from fuzzing.kind import Kind

CHUNK = 250
"""Inputs of one kind per worker process."""

MEMORY = 3 * 2**30
"""Bytes that reading may allocate on top of what the process has."""

GRACE = 10
"""Seconds after the time limit until a worker that ignores the alarm is killed."""


class Tried(NamedTuple):
    kind: str
    number: int
    outcome: Outcome


class _Chunk(NamedTuple):
    kind: Kind
    numbers: Sequence[int]


class _Worker:
    """A process that tries a chunk, forked after all imports."""

    def __init__(self, chunk: _Chunk, seed: int) -> None:
        self.chunk = chunk
        self.number = chunk.numbers[0]
        self.started = time.monotonic()
        context = get_context("fork")
        self.connection, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_try_all, args=(chunk, seed, theirs))
        self._process.start()
        theirs.close()

    def receive(self) -> Union[Outcome, None]:
        """Return the outcome of input `number`, or None if the worker has just started it."""
        try:
            message = self.connection.recv()
        except EOFError:
            self._process.join()
            return Outcome("crash", f"exit code {self._process.exitcode}")
        if isinstance(message, str):
            raise RuntimeError(f"{self.chunk.kind.name} {self.number} cannot be made: {message}")
        if isinstance(message, int):
            self.number, self.started = message, time.monotonic()
            return None
        return message

    @property
    def overdue(self) -> bool:
        return time.monotonic() - self.started > SECONDS + GRACE

    @property
    def rest(self) -> _Chunk:
        """Return the inputs after `number`."""
        next_index = self.chunk.numbers.index(self.number) + 1
        return self.chunk._replace(numbers=self.chunk.numbers[next_index:])

    def end(self) -> None:
        # The group includes processes that it started.
        with suppress(ProcessLookupError):
            if self._process.pid is not None:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.connection.close()


def try_inputs(
    kinds: Sequence[Kind], inputs: int, seed: int, processes: int, start: int = 0
) -> Iterator[Tried]:
    """
    Try inputs, equally many of each kind, and yield outcomes as they come.

    # Parameters

    kinds : `Sequence[Kind]`
    inputs : `int`
        Number of inputs of all kinds together.
    seed : `int`
    processes : `int`
        Number of worker processes.
    start : `int`, optional (default = `0`)
        The number of the first input of each kind.
    """
    waiting = _chunks(kinds, inputs, start)
    workers: list[_Worker] = []
    try:
        while True:
            free = processes - len(workers)
            workers += [_Worker(chunk, seed) for chunk in itertools.islice(waiting, free)]
            if not workers:
                return
            for worker in _ready(workers):
                outcome = worker.receive() if not worker.overdue else Outcome("hang", "was killed")
                if outcome is None:
                    continue
                yield Tried(worker.chunk.kind.name, worker.number, outcome)
                if outcome.status in ("crash", "hang") or not worker.rest.numbers:
                    worker.end()
                    workers.remove(worker)
                    waiting = itertools.chain([worker.rest] * bool(worker.rest.numbers), waiting)
    finally:
        for worker in workers:
            worker.end()


def _ready(workers: Sequence[_Worker]) -> list[_Worker]:
    heard = wait([worker.connection for worker in workers], timeout=1)
    return [worker for worker in workers if worker.connection in heard or worker.overdue]


def _chunks(kinds: Sequence[Kind], inputs: int, start: int) -> Iterator[_Chunk]:
    each, more = divmod(inputs, len(kinds))
    for i, kind in enumerate(kinds):
        numbers = range(start, start + each + (i < more))
        for first in range(0, len(numbers), CHUNK):
            yield _Chunk(kind, numbers[first : first + CHUNK])


def _try_all(chunk: _Chunk, seed: int, connection: Connection) -> None:
    os.setsid()
    _keep_quiet()
    with limited_memory():
        for number in chunk.numbers:
            connection.send(number)
            try:
                connection.send(numbered(chunk.kind, seed, number))
            except Exception:
                connection.send(traceback.format_exc())


def _keep_quiet() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)


@contextmanager
def limited_memory() -> Iterator[None]:
    """Limit what the process may allocate in the block to `MEMORY` bytes more."""
    with open("/proc/self/statm") as sizes:
        pages = int(sizes.read().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
