"""Writing, damaging and reading one input, and classifying the outcome."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple
from unittest import mock

from fuzzing.kind import MARKER, Kind, NotFinite, Wrong
from fuzzing.snapshot import describe_losses, snapshot

SECONDS = 20
"""Time limit; longer is a hang."""

UNDAMAGED = -1
"""Number of the undamaged input."""

MAX_MESSAGE = 10_000
"""In characters."""

_NO_MEMORY = "can't allocate memory"

ACCEPTED, REFUSED = "accepted", "refused"
FAILURES = (
    "traceback",
    "unclear error",
    "hang",
    "crash",
    "out of memory",
    "not finite",
    "wrong",
    "executed",
    "file lost",
)


class Outcome(NamedTuple):
    """
    Outcome of one input: accepted, refused, or one of `FAILURES`; the error and its stack trace;
    and CPU seconds, damage included.
    """

    status: str
    detail: str = ""
    trace: str = ""
    seconds: float = 0.0


class Hang(BaseException):
    """Raised by the alarm at the time limit."""


def numbered(kind: Kind, seed: int, number: int) -> Outcome:
    """Try input `number` of a kind, which is the same every time."""
    return attempt(kind, random.Random(f"{seed} {kind.name} {number}"), number != UNDAMAGED)


def attempt(kind: Kind, rng: random.Random, damaged: bool = True) -> Outcome:
    """Write an input into a temporary directory, damage it, and read it."""
    start = time.process_time()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as parent:
        outcome = _attempt_in(Path(parent), kind, rng, damaged)
    return outcome._replace(seconds=time.process_time() - start)


def _attempt_in(parent: Path, kind: Kind, rng: random.Random, damaged: bool) -> Outcome:
    directory, temporary = parent / "input", parent / "temporary"
    directory.mkdir()
    temporary.mkdir()
    with _working_in(directory, temporary):
        kind.write(directory)
        undamaged = snapshot(directory)
        if damaged:
            kind.damage(rng, directory)
        before = snapshot(directory)
        names = _names(undamaged, before)
        outcome = _read(kind, rng, directory, names)
        ended_well = outcome.status in (ACCEPTED, "wrong", "not finite")
        kept = {n: c for n, c in before.items() if not kind.may_change(n, ended_well)}
        lost = describe_losses(kept, before, snapshot(directory), temporary)
    if (directory / MARKER).exists():
        return Outcome("executed", f"{MARKER} was written; {outcome.detail}")
    if lost:
        return Outcome("file lost", f"{lost}; {outcome.status} {outcome.detail}")
    return outcome


def _read(kind: Kind, rng: random.Random, directory: Path, names: set[str]) -> Outcome:
    try:
        with _alarm():
            kind.run(rng, directory)
    # Any error is an outcome.
    except BaseException as error:
        return _judge(kind, error, names)
    return Outcome(ACCEPTED)


def _judge(kind: Kind, error: BaseException, names: set[str]) -> Outcome:
    detail = f"{type(error).__name__}: {error}"
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, Hang):
        return Outcome("hang", f"over {SECONDS} s", trace)
    if isinstance(error, (NotFinite, Wrong)):
        status = "wrong" if isinstance(error, Wrong) else "not finite"
        return Outcome(status, str(error), trace)
    is_expected = isinstance(error, kind.errors)
    if isinstance(error, MemoryError) or (_NO_MEMORY in detail and not is_expected):
        return Outcome("out of memory", detail, trace)
    if not is_expected:
        return Outcome("traceback", detail, trace)
    return Outcome(REFUSED if _is_clear(str(error), names) else "unclear error", detail, trace)


def _is_clear(message: str, names: set[str]) -> bool:
    # PyTorch's message on a failed allocation has several lines.
    if _NO_MEMORY in message and "\n" in message.strip():
        return False
    return len(message) <= MAX_MESSAGE and (not names or any(name in message for name in names))


def _names(undamaged: Mapping[str, str], damaged: Mapping[str, str]) -> set[str]:
    """Return the names that an error may use: of the damaged files or their directories."""
    changed = {n for n in undamaged.keys() | damaged.keys() if undamaged.get(n) != damaged.get(n)}
    return {part for name in changed for part in Path(name).parts}


@contextmanager
def _working_in(directory: Path, temporary: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(directory)
    environment = mock.patch.dict(os.environ, TMPDIR=str(temporary))
    try:
        with environment, mock.patch.object(tempfile, "tempdir", str(temporary)):
            yield
    finally:
        os.chdir(before)


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
