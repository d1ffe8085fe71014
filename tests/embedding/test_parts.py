"""Files of finished blocks."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from elmo_plugin.embedding.parts import Part, PartStore


def _part(dtype: str = "float32", shape: tuple[int, ...] = (3, 2, 4)) -> Part:
    rng = numpy.random.default_rng(0)
    keys = rng.integers(0, 256, (2, 16), numpy.uint8)
    vectors = rng.standard_normal(shape).astype(dtype)
    return Part("00000-0000001", 7, [["Ünïcode", "\n"], ["b"]], keys, vectors, "digest")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(3, 2, 4), (3, 4), (0, 4)])
def test_part_is_read_as_it_was_written(dtype: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    part = _part(dtype, shape)
    store = PartStore(tmp_path)
    store.write(part)
    found = store.read(part.name)
    assert (found.keys == part.keys).all() and (found.vectors == part.vectors).all()
    assert (found.name, found.start, found.digest) == (part.name, part.start, part.digest)
    assert found.tokens == part.tokens
    assert found.vectors.dtype == dtype


def test_every_damaged_byte_is_found(tmp_path: Path) -> None:
    store = PartStore(tmp_path)
    store.write(_part())
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match=f"{file.name}: expected a part"):
            store.read("00000-0000001")
        assert not store.has("00000-0000001", "digest")


def test_keys_do_not_keep_vectors_in_memory(tmp_path: Path) -> None:
    store = PartStore(tmp_path)
    store.write(_part())
    assert store.read("00000-0000001").keys.base is None
