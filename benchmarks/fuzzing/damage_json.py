"""Damage to JSON files."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from fuzzing.damage_text import damage_text

_RAW = "@@raw@@"
_RAW_STRING = re.compile(rf'"{_RAW}((?:[^"\\]|\\.)*)"')
_DEPTH = 20_000


def damage_json(rng: random.Random, data: bytes) -> bytes:
    """Set hostile values, remove and rename keys, change types; sometimes break the syntax."""
    if rng.random() < 0.15:
        return damage_text(rng, data)
    value: Any = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        value = _change(rng, value)
    return _dump(rng, json.dumps(value, indent=rng.choice((None, 2))))


def damage_json_lines(rng: random.Random, data: bytes) -> bytes:
    """Damage one or two lines as JSON, or the file as text."""
    if rng.random() < 0.3:
        return damage_text(rng, data)
    lines = data.splitlines()
    for _ in range(rng.choice((1, 1, 2))):
        index = rng.randrange(len(lines))
        damaged = damage_json(rng, lines[index])
        lines[index] = damaged if rng.random() < 0.05 else damaged.replace(b"\n", b" ")
        try:
            json.loads(lines[index])
        except (ValueError, RecursionError):
            break
    return b"\n".join(lines) + b"\n"


HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 50, 262, 10**6, 2**31 - 1, 2**31, 2**63, 2**64, 10**19),
    *(10**400, 0.5, 1.0, -0.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
    *("", " ", "x", "0", "1", "null", "..", "/", "\ud800", "\0", "\n", "é" * 100, "a" * 20_000),
    *([], [[]], [None], [1, 2], [[1, 1]], [[0, 0]], {}, {"": None}, {"type": "x"}, [[]] * 3000),
    *(f"{_RAW}{'[' * _DEPTH}{']' * _DEPTH}", f"{_RAW}1e400", f"{_RAW}{'9' * 5000}"),
    *(f"{_RAW}" + '{"a":' * _DEPTH + "0" + "}" * _DEPTH, f"{_RAW}-0", f"{_RAW}1" + "0" * 18),
)


def _change(rng: random.Random, value: Any) -> Any:
    locations = list(_locations(value))
    if not locations or rng.random() < 0.03:
        return deepcopy(rng.choice(HOSTILE))
    parent, key = rng.choice(locations)
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
        other, other_key = rng.choice(locations)
        parent[key] = deepcopy(other[other_key])
    elif type(parent[key]) in (int, float) and abs(parent[key]) < 1e15:
        parent[key] = parent[key] * rng.choice((-1, 0, 2, 1000, 0.5)) + rng.choice((-1, 0, 1))
    return value


def _locations(value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, (dict, list)):
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        yield from _locations(inner)


def _dump(rng: random.Random, text: str) -> bytes:
    # Values that json.dumps cannot write were strings until here.
    text = _RAW_STRING.sub(lambda match: json.loads(f'"{match[1]}"'), text)
    if rng.random() < 0.05:
        return text.encode(rng.choice(("utf-8-sig", "utf-16", "utf-32")), "replace")
    return text.encode("utf-8", "surrogatepass")
