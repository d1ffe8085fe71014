"""One damaged input: written, read, and judged by what came out."""

from __future__ import annotations

import gc
import hashlib
import os
import random
import signal
import stat
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

SECONDS = 20
"""Longer is a hang."""

UNDAMAGED = -1
"""The number of the input that is not damaged."""

LONGEST_MESSAGE = 10_000
"""In characters."""

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
    How reading one input ended: accepted, refused, or one of `FAILURES`; why; and how many seconds
    of the processor it took, damage included.
    """

    status: str
    detail: str = ""
    trace: str = ""
    seconds: float = 0.0


class Hang(BaseException):
    """Raised by the alarm."""


def numbered(kind: Kind, seed: int, number: int) -> Outcome:
    """Tries input `number` of a kind, the same every time."""
    return attempt(kind, random.Random(f"{seed} {kind.name} {number}"), number != UNDAMAGED)


def attempt(kind: Kind, rng: random.Random, damaged: bool = True) -> Outcome:
    """Writes an input of a kind into a directory of its own, damages it, and reads it."""
    start = time.process_time()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        outcome = _in_directory(kind, rng, Path(place), damaged)
    return outcome._replace(seconds=time.process_time() - start)


def _in_directory(kind: Kind, rng: random.Random, place: Path, damaged: bool) -> Outcome:
    directory, temporary = place / "input", place / "temporary"
    directory.mkdir()
    temporary.mkdir()
    with _working_in(directory, temporary):
        kind.write(directory)
        whole = _snapshot(directory)
        if damaged:
            kind.damage(rng, directory)
        before = _snapshot(directory)
        names = _names(whole, before)
        outcome = _read(kind, rng, directory, names)
        ended_well = outcome.status in (ACCEPTED, "wrong", "not finite")
        kept = {n: c for n, c in before.items() if not kind.may_change(n, ended_well)}
        lost = _lost(kept, before, _snapshot(directory), temporary)
    if (directory / MARKER).exists():
        return Outcome("executed", f"{MARKER} was written; {outcome.detail}")
    if lost:
        return Outcome("file lost", f"{lost}; {outcome.status} {outcome.detail}")
    return outcome


def _read(kind: Kind, rng: random.Random, directory: Path, names: set[str]) -> Outcome:
    try:
        with _alarm():
            kind.run(rng, directory)
    # Whatever may come out is what is looked for.
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
    if isinstance(error, MemoryError) or "can't allocate memory" in detail:
        return Outcome("out of memory", detail, trace)
    if not isinstance(error, kind.errors):
        return Outcome("traceback", detail, trace)
    message = str(error)
    if len(message) > LONGEST_MESSAGE or (names and not any(name in message for name in names)):
        return Outcome("unclear error", detail, trace)
    return Outcome(REFUSED, detail, trace)


def _names(whole: Mapping[str, str], damaged: Mapping[str, str]) -> set[str]:
    """Names that an error may use for the damaged files: their own, or their directory's."""
    changed = {n for n in whole.keys() | damaged.keys() if whole.get(n) != damaged.get(n)}
    return {part for name in changed for part in Path(name).parts}


def _lost(
    kept: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], temporary: Path
) -> str:
    # What reading has made may lie in a cycle.
    if any(temporary.iterdir()):
        gc.collect()
    left = [name for name in after.keys() - before.keys() if _is_temporary(name)]
    problems = [f"{name} is gone" for name in sorted(kept.keys() - after.keys())]
    problems += [f"{n} changed" for n in sorted(kept) if after.get(n, kept[n]) != kept[n]]
    problems += [f"{name} was left" for name in sorted(left)]
    # PyTorch makes a folder for kernels that it compiles, and keeps it.
    more = [path.name for path in temporary.iterdir() if not path.name.startswith("torchinductor_")]
    problems += [f"{name} was left in the temporary files" for name in more]
    return ", ".join(problems)


def _is_temporary(name: str) -> bool:
    # AllenNLP keeps a lock beside each vocabulary that it writes.
    if name.endswith("vocabulary/.lock"):
        return False
    return Path(name).name.startswith((".", "tmp")) or name.endswith((".tmp", ".part"))


def _snapshot(directory: Path) -> dict[str, str]:
    """Every file below a directory and what is in it, or where a link leads."""
    found = {}
    for path in directory.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            content = hashlib.blake2b(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(mode):
            content = f"link to {os.readlink(path)}"
        elif stat.S_ISDIR(mode):
            continue
        else:
            content = f"special file {stat.S_IFMT(mode)}"
        found[str(path.relative_to(directory))] = content
    return found


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
