"""benchmarks/fuzz.py detects each class of failure."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from fuzzing import attempt as attempting
from fuzzing import runner
from fuzzing.kind import MARKER, Kind, check_finite, check_same


class Planted(Kind):
    """A file of one line, and whatever `read` does with it."""

    name = "planted"
    errors = (ValueError,)

    def __init__(self, read: Callable[[Path], object]) -> None:
        self._read = read

    def write(self, directory: Path) -> None:
        (directory / "file.txt").write_text("content")
        (directory / "beside.txt").write_text("content")

    def damage(self, rng: random.Random, directory: Path) -> None:
        (directory / "file.txt").write_text("damaged")

    def run(self, rng: random.Random, directory: Path) -> None:
        self._read(directory)


def refuse(message: str) -> Callable[[Path], object]:
    def read(directory: Path) -> None:
        raise ValueError(message)

    return read


def leave_a_temporary_directory(directory: Path) -> None:
    tempfile.mkdtemp()


READERS: dict[str, Callable[[Path], object]] = {
    "accepted": lambda directory: (directory / "file.txt").read_text(),
    "refused": refuse("file.txt: expected content, found something else"),
    "traceback": lambda directory: {}["key"],
    "unclear error": refuse("expected content"),
    "hang": lambda directory: time.sleep(5),
    "out of memory": lambda directory: bytearray(2**50),
    "not finite": lambda directory: check_finite([torch.tensor([1.0, float("nan")])], "vectors"),
    "wrong": lambda directory: check_same({"a": torch.ones(1)}, {"a": torch.zeros(1)}, "vectors"),
    "executed": lambda directory: os.system(f"touch {MARKER}"),
    "file lost": lambda directory: (directory / "beside.txt").unlink(),
}


@pytest.mark.parametrize("expected", READERS)
def test_each_outcome_by_its_name(expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempting, "SECONDS", 1)
    assert attempting.attempt(Planted(READERS[expected]), random.Random(0)).status == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("file.txt: can't allocate memory: you tried to allocate 9 bytes", "refused"),
        ("file.txt: can't allocate memory\nin function alloc", "unclear error"),
        ("can't allocate memory", "unclear error"),
    ],
)
def test_failed_allocation_needs_one_line_that_names_the_file(message: str, expected: str) -> None:
    assert attempting.attempt(Planted(refuse(message)), random.Random(0)).status == expected


def test_failed_allocation_without_an_error_of_ours() -> None:
    def read(directory: Path) -> None:
        raise RuntimeError("file.txt: can't allocate memory")

    outcome = attempting.attempt(Planted(read), random.Random(0))
    assert outcome.status == "out of memory"


@pytest.mark.parametrize(
    "read",
    [
        lambda directory: (directory / "file.txt").write_text("damaged again"),
        lambda directory: (directory / ".file.txt.123").touch(),
        leave_a_temporary_directory,
    ],
    ids=["changed", "left beside", "left in the temporary files"],
)
def test_files_changed_or_left(read: Callable[[Path], object]) -> None:
    assert attempting.attempt(Planted(read), random.Random(0)).status == "file lost"


def test_a_message_of_any_length() -> None:
    read = refuse("file.txt: " + "x" * 20_000)
    assert attempting.attempt(Planted(read), random.Random(0)).status == "unclear error"


def test_a_process_that_dies_costs_one_input() -> None:
    def die_at_the_fourth(directory: Path) -> None:
        if next(numbers) == 3:
            os._exit(7)

    numbers = iter(range(100))  # each process begins anew
    kinds = [Planted(die_at_the_fourth)]
    tried = list(runner.try_inputs(kinds, inputs=10, seed=0, processes=2))
    crashes = {one.number for one in tried if one.outcome.status == "crash"}
    assert sorted(one.number for one in tried) == list(range(10))
    assert crashes == {3, 7}


def test_a_process_that_does_not_hear_the_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep_deeply(directory: Path) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(30)

    monkeypatch.setattr(runner, "SECONDS", 1)
    monkeypatch.setattr(runner, "GRACE", 0)
    tried = list(runner.try_inputs([Planted(sleep_deeply)], inputs=2, seed=0, processes=2))
    assert [one.outcome.status for one in tried] == ["hang", "hang"]


def test_the_same_input_for_a_number(tmp_path: Path) -> None:
    seen: list[float] = []

    class Seen(Planted):
        def damage(self, rng: random.Random, directory: Path) -> None:
            super().damage(rng, directory)
            seen.append(rng.random())

    kind = Seen(READERS["accepted"])
    for number in (3, 4, 3):
        attempting.numbered(kind, 5, number)
    assert seen[0] == seen[2] != seen[1]
