"""Random arguments of commands, right or wrong."""

from __future__ import annotations

import random
from collections.abc import Callable

Argument = Callable[[random.Random], str]

NAMES = (
    *("", ".", "..", "/", "nowhere", "nowhere/x", "folder", "folder/", "text.txt/", "text.txt/x"),
    *("*", "[", "folder/*", "~", "-", "--", "x" * 300, "\udcff", "é\n", "link", "dangling", "null"),
    *("text.txt", "empty.txt", "blank.txt", "binary", "picture.png", "object.json", "list.json"),
    *("vectors.txt", "one.txt", "words.conllu", "senses.jsonl", "table.json", "labels.txt"),
    *(
        "lines.jsonl",
        "config.json",
        "model.tar.gz",
        "exported",
        "exported/weights.hdf5",
        "index-files",
    ),
    *("exported/options.json", "exported/softmax.hdf5", "index-files/index.json", "layers.hdf5"),
    *(
        "cove.th",
        "trained",
        "ner.json",
        "/proc/self/mem",
        "/proc/nowhere/x",
        "built-in/x",
        "dev.conll",
    ),
)
_NUMBERS = (
    *("-1", "0", "1", "2", "-0", "3.5", "nan", "inf", "1e3", "x", "", " ", "0x10", "२", "1_0"),
    *(str(2**31), str(2**32), str(2**63), str(2**64), str(-(2**63)), str(10**30), "9" * 5000),
)
# Amounts of work are small or wrong: much work is not a hang.
_COUNTS = tuple(n for n in _NUMBERS if not n.isdecimal() or len(n) < 3)


def name(good: str) -> Argument:
    return lambda rng: good if rng.random() < 0.7 else rng.choice(NAMES)


def number(good: object = 1) -> Argument:
    return lambda rng: str(good) if rng.random() < 0.4 else rng.choice(_NUMBERS)


def count(good: object = 1) -> Argument:
    return lambda rng: str(good) if rng.random() < 0.4 else rng.choice(_COUNTS)


def one_of(*values: str) -> Argument:
    return lambda rng: rng.choice(values)
