"""Damage to bytes, text and JSON, whatever they mean."""

from __future__ import annotations

import gzip
import json
import pickle
import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

Bytes = Callable[[random.Random, bytes], bytes]

_RAW = "@@raw@@"
_RAW_STRING = re.compile(rf'"{_RAW}((?:[^"\\]|\\.)*)"')
_DEEP = 20_000


def damage_file(rng: random.Random, path: Path, ways: tuple[Bytes, ...] = ()) -> None:
    """Rewrites a file with one of `ways`, if not given any of `BYTES`."""
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
    # Often by little: checksums stand at the end.
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
    place = rng.randint(0, len(data))
    return data[:place] + rng.randbytes(rng.randint(1, 20)) + data[place:]


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


def damage_text(rng: random.Random, data: bytes) -> bytes:
    """Text that stays text, more or less."""
    return rng.choice(_TEXT)(rng, data)


def _lines_damaged(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(lines))
        change = rng.choice(("remove", "repeat", "empty", "swap", "cut", "fields", "word"))
        if change == "remove" and len(lines) > 1:
            del lines[place]
        elif change == "repeat":
            lines.insert(place, lines[place])
        elif change == "empty":
            lines[place] = rng.choice((b"", b" ", b"\t", b"\x0c"))
        elif change == "swap":
            other = rng.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        elif change == "cut":
            lines[place] = truncate(rng, lines[place])
        elif change == "fields":
            fields = lines[place].split()
            rng.shuffle(fields)
            lines[place] = b" ".join(fields[rng.randint(0, 2) :])
        else:
            fields = lines[place].split(b" ")
            fields[rng.randrange(len(fields))] = rng.choice(WORDS)
            lines[place] = b" ".join(fields)
    return b"\n".join(lines)


WORDS = (
    *(b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"\x1b[2J", b"\x85"),
    *("\u2028".encode(), "\u00a0".encode(), "\u200b".encode(), "\U0001f642".encode(), b"<S>"),
    *(b"</S>", b"<UNK>", b"@@NEWLINE@@", b"@@UNKNOWN@@", b"*", b"(", b")", b"-", b"nan", b"1e999"),
    *(b"-1", b"99999999999999999999", b"x" * 3000, b'"', b"{", b"\r", b"\t", b"#", b"(0", b"0)"),
)


_TEXT: tuple[Bytes, ...] = (
    *(_lines_damaged, _lines_damaged, _lines_damaged, flip_bits, overwrite, truncate, remove),
    *(insert, other_content),
    lambda rng, data: b"\xef\xbb\xbf" + data,
    lambda rng, data: data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\0", b"\x85"))),
    lambda rng, data: data.replace(b" ", rng.choice((b"\t", b"  ", b"\xc2\xa0", b"\0"))),
    lambda rng, data: data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-32"))),
    lambda rng, data: data.decode("utf-8", "replace").encode("latin-1", "replace") + b"\xe9\n",
    lambda rng, data: data.replace(b"\n", b" "),
    lambda rng, data: data + b"x" * 200_000,
    lambda rng, data: data + b"y " * 3000 + b"\n",
)


def damage_json(rng: random.Random, data: bytes) -> bytes:
    """Hostile values, missing and unknown keys, other types; sometimes no JSON at all."""
    if rng.random() < 0.15:
        return damage_text(rng, data)
    value: Any = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        value = _changed(rng, value)
    return _written(rng, json.dumps(value, indent=rng.choice((None, 2))))


def damage_json_lines(rng: random.Random, data: bytes) -> bytes:
    """One or several lines damaged as JSON, or the file as text."""
    if rng.random() < 0.3:
        return damage_text(rng, data)
    lines = data.splitlines()
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(lines))
        with_damage = damage_json(rng, lines[place])
        lines[place] = with_damage if rng.random() < 0.05 else with_damage.replace(b"\n", b" ")
        try:
            json.loads(lines[place])
        except (ValueError, RecursionError):
            break
    return b"\n".join(lines) + b"\n"


HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 50, 262, 10**6, 2**31 - 1, 2**31, 2**63, 2**64, 10**19),
    *(10**400, 0.5, 1.0, -0.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
    *("", " ", "x", "0", "1", "null", "..", "/", "\ud800", "\0", "\n", "é" * 100, "a" * 20_000),
    *([], [[]], [None], [1, 2], [[1, 1]], [[0, 0]], {}, {"": None}, {"type": "x"}, [[]] * 3000),
    *(f"{_RAW}{'[' * _DEEP}{']' * _DEEP}", f"{_RAW}1e400", f"{_RAW}{'9' * 5000}"),
    *(f"{_RAW}" + '{"a":' * _DEEP + "0" + "}" * _DEEP, f"{_RAW}-0", f"{_RAW}1" + "0" * 18),
)


def _changed(rng: random.Random, value: Any) -> Any:
    places = list(_places(value))
    if not places or rng.random() < 0.03:
        return deepcopy(rng.choice(HOSTILE))
    parent, key = rng.choice(places)
    change = rng.choice(("value", "value", "value", "remove", "rename", "wrap", "other", "tweak"))
    if change == "value":
        parent[key] = deepcopy(rng.choice(HOSTILE))
    elif change == "remove":
        del parent[key]
    elif change == "rename" and isinstance(parent, dict):
        parent[rng.choice(("", "x", f"{key} ", key.upper(), "\ud800"))] = parent.pop(key)
    elif change == "wrap":
        parent[key] = rng.choice(([parent[key]], {"x": parent[key]}, str(parent[key])))
    elif change == "other":
        other, other_key = rng.choice(places)
        parent[key] = deepcopy(other[other_key])
    elif type(parent[key]) in (int, float) and abs(parent[key]) < 1e15:
        parent[key] = parent[key] * rng.choice((-1, 0, 2, 1000, 0.5)) + rng.choice((-1, 0, 1))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, (dict, list)):
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        yield from _places(inner)


def _written(rng: random.Random, text: str) -> bytes:
    # What Python's own writer cannot write stands in strings until now.
    text = _RAW_STRING.sub(lambda match: json.loads(f'"{match[1]}"'), text)
    if rng.random() < 0.05:
        return text.encode(rng.choice(("utf-8-sig", "utf-16", "utf-32")), "replace")
    return text.encode("utf-8", "surrogatepass")


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 2, 4, 16, 100, 400)))
