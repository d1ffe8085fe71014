"""Damage to text files."""

from __future__ import annotations

import random

from fuzzing.damage import (
    Bytes,
    flip_bits,
    insert,
    other_content,
    overwrite,
    remove,
    truncate,
)


def damage_text(rng: random.Random, data: bytes) -> bytes:
    """Damage lines, words, encoding or bytes."""
    return rng.choice(_TEXT)(rng, data)


def _damage_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        index = rng.randrange(len(lines))
        change = rng.choice(("remove", "repeat", "empty", "swap", "cut", "fields", "word"))
        if change == "remove" and len(lines) > 1:
            del lines[index]
        elif change == "repeat":
            lines.insert(index, lines[index])
        elif change == "swap":
            other = rng.randrange(len(lines))
            lines[index], lines[other] = lines[other], lines[index]
        else:
            lines[index] = _damage_line(rng, lines[index], change)
    return b"\n".join(lines)


def _damage_line(rng: random.Random, line: bytes, change: str) -> bytes:
    if change == "empty":
        return rng.choice((b"", b" ", b"\t", b"\x0c"))
    if change == "cut":
        return truncate(rng, line)
    if change == "fields":
        fields = line.split()
        rng.shuffle(fields)
        return b" ".join(fields[rng.randint(0, 2) :])
    fields = line.split(b" ")
    fields[rng.randrange(len(fields))] = rng.choice(WORDS)
    return b" ".join(fields)


WORDS = (
    *(b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"\x1b[2J", b"\x85"),
    *("\u2028".encode(), "\u00a0".encode(), "\u200b".encode(), "\U0001f642".encode(), b"<S>"),
    *(b"</S>", b"<UNK>", b"@@NEWLINE@@", b"@@UNKNOWN@@", b"*", b"(", b")", b"-", b"nan", b"1e999"),
    *(b"-1", b"99999999999999999999", b"x" * 3000, b'"', b"{", b"\r", b"\t", b"#", b"(0", b"0)"),
)


_TEXT: tuple[Bytes, ...] = (
    *(_damage_lines, _damage_lines, _damage_lines, flip_bits, overwrite, truncate, remove),
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
