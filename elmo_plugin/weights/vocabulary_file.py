"""Vocabulary files: one word per line, in the order of the softmax's rows."""

from __future__ import annotations

from pathlib import Path

from elmo_plugin.layers.char_ids import BOS_TOKEN, EOS_TOKEN

UNKNOWN = "<UNK>"

SPECIAL_TOKENS = (BOS_TOKEN, EOS_TOKEN, UNKNOWN)
"""First in every vocabulary of ours, in this order."""


def read_vocabulary(vocabulary_file: str | Path) -> list[str]:
    """
    Read the words of a vocabulary file. A byte order mark at its start is left out.

    # Raises

    `ValueError` : invalid UTF-8, an empty line or a word twice; names file and line.
    """
    words: dict[str, int] = {}
    try:
        # Not read_text, for which a carriage return alone also ends a line.
        lines = Path(vocabulary_file).read_bytes().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{vocabulary_file}: expected UTF-8, found: {error}") from error
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines, start=1):
        word = line.removesuffix("\r")
        if not word.strip(" \t"):
            raise ValueError(f"{vocabulary_file}, line {number}: expected a word, found none")
        if word in words:
            raise ValueError(
                f"{vocabulary_file}, line {number}: expected each word once, "
                f"found {word!r} as in line {words[word]}"
            )
        words[word] = number
    return list(words)


def special_tokens_first(words: list[str], source: str) -> list[str]:
    """
    Move the special tokens, which may be anywhere in other programs' files, to the front.

    # Raises

    `ValueError` : a special token is missing; names `source`.
    """
    missing = [token for token in SPECIAL_TOKENS if token not in words]
    if missing:
        raise ValueError(
            f"{source}: expected {', '.join(SPECIAL_TOKENS)} and words, "
            f"found no {', '.join(missing)}"
        )
    return [*SPECIAL_TOKENS, *(word for word in words if word not in SPECIAL_TOKENS)]
