"""An interrupt while HDF5 writes is raised, and leaves the file that was there."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest

from elmo_plugin import open_vectors
from elmo_plugin.allennlp_api.embed_file import write_vectors
from elmo_plugin.weights import load_bilm, save_bilm
from elmo_plugin.weights.activations_file import Activations, write_activations
from elmo_plugin.weights.hdf5_writing import _Disk
from tests.helpers.random_bilm import SMALL, random_bilm, save

PART = Activations(
    [["a", "b"]] * 50, numpy.zeros((50, 16), numpy.uint8), numpy.ones((100, 3, 64), numpy.float32)
)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Interrupt on both signals, as the command `elmo` does, also if a shell ignores them."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    yield
    for number, handler in zip(numbers, before):
        signal.signal(number, handler)


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], list[int]]:
    """Send this process a signal as HDF5 calls Python for its nth write."""
    write = _Disk.write

    def interrupt(number: int, nth: int) -> list[int]:
        writes: list[int] = []

        def interrupted(self: _Disk, data: Any) -> int:
            writes.append(len(data))
            if len(writes) == nth:
                os.kill(os.getpid(), number)
            return write(self, data)

        monkeypatch.setattr(_Disk, "write", interrupted)
        return writes

    return interrupt


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("nth", [1, 2, 10, 20])
def test_weights_are_kept(
    nth: int, number: int, tmp_path: Path, interrupt_at: Callable[[int, int], list[int]]
) -> None:
    files = save(random_bilm(), tmp_path)
    before = files[1].read_bytes()
    writes = interrupt_at(number, nth)
    with pytest.raises(KeyboardInterrupt):
        save_bilm(random_bilm(replace(SMALL, projection_dim=6)), *files)
    assert len(writes) >= nth
    assert signal.getsignal(number) is signal.default_int_handler
    load_bilm(*files)
    assert files[1].read_bytes() == before


def _write_packed(parts: Iterable[Activations], file: Path) -> None:
    write_activations(parts, file, max_characters=50)


def _write_allennlp(parts: Iterable[Activations], file: Path) -> None:
    sentences = (("a b", numpy.ones((3, 2, 64))) for _ in parts for _ in range(50))
    write_vectors(sentences, file, "all", forget_sentences=True, use_sentence_keys=False)


@pytest.mark.parametrize("write", [_write_packed, _write_allennlp])
@pytest.mark.parametrize("nth", [2, 5, -1])
def test_vectors_are_kept(
    nth: int,
    write: Callable[[Iterable[Activations], Path], None],
    tmp_path: Path,
    interrupt_at: Callable[[int, int], list[int]],
) -> None:
    file = tmp_path / "vectors.hdf5"
    writes = interrupt_at(signal.SIGINT, 0)
    write([PART, PART], file)
    last = len(writes)
    write([PART], file)
    before = file.read_bytes()
    interrupt_at(signal.SIGINT, nth if nth > 0 else last)
    with pytest.raises(KeyboardInterrupt):
        write([PART, PART], file)
    assert file.read_bytes() == before
    assert [*tmp_path.iterdir()] == [file]
    with open_vectors(file) as vectors:
        assert len(vectors) == 50 and all(found.all() for found in vectors)


@pytest.mark.parametrize("write", [_write_packed, _write_allennlp])
def test_parts_can_be_interrupted_as_they_are_computed(
    write: Callable[[Iterable[Activations], Path], None], tmp_path: Path
) -> None:
    computed = []

    def parts() -> Iterator[Activations]:
        for number in range(3):
            computed.append(number)
            if number == 1:
                signal.raise_signal(signal.SIGINT)
            yield PART

    with pytest.raises(KeyboardInterrupt):
        write(parts(), tmp_path / "vectors.hdf5")
    assert computed == [0, 1] and not [*tmp_path.iterdir()]
