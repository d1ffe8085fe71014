"""Damage to files as bytes."""

from __future__ import annotations

import gzip
import pickle
import random
from collections.abc import Callable
from pathlib import Path

Bytes = Callable[[random.Random, bytes], bytes]


def damage_file(rng: random.Random, path: Path, ways: tuple[Bytes, ...] = ()) -> None:
    """Rewrite a file with one of `ways`, by default one of `BYTES`."""
    path.write_bytes(rng.choice(ways or BYTES)(rng, path.read_bytes()))


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8, 64)) if data else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + rng.randbytes(end - start) + data[end:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    # Often by a few bytes: checksums are at the end.
    return data[: len(data) - min(rng.choice((1, 4, 8, 40, rng.randint(0, len(data)))), len(data))]


def remove(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:end] + data[start:]


def zero(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + bytes(end - start) + data[end:]


def insert(rng: random.Random, data: bytes) -> bytes:
    position = rng.randint(0, len(data))
    return data[:position] + rng.randbytes(rng.randint(1, 20)) + data[position:]


def append(rng: random.Random, data: bytes) -> bytes:
    return data + rng.choice((b"\0" * 512, b"\n", rng.randbytes(100), data))


def other_content(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(
        (
            b"",
            rng.randbytes(rng.randint(1, 300)),
            pickle.dumps({"a": [1.0]}),
            gzip.compress(data),
            b"\x89PNG\r\n\x1a\n" + bytes(40),
            b'{"a": 1}\n',
            b"PK\x03\x04" + bytes(40),
            b"\x89HDF\r\n\x1a\n" + bytes(40),
        )
    )


BYTES: tuple[Bytes, ...] = (
    *(flip_bits, flip_bits, overwrite, truncate, remove, repeat, zero, insert, append),
    other_content,
)


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 2, 4, 16, 100, 400)))
