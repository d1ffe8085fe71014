"""Reads sentences to embed from text, JSON lines and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from elmo_plugin.common.json_text import parse_json
from elmo_plugin.common.text import (
    COLUMNS_SUFFIXES,
    JSON_LINES_SUFFIXES,
    STANDARD_INPUT,
    numbered_lines,
)
from elmo_plugin.embedding.choices import InputFormat
from elmo_plugin.embedding.tokenizer import tokenize

MAX_TOKENS = 20_000
"""The longest sentence, in tokens."""

_DESCRIPTOR = 0  # of standard input
_JSON_KEYS = ("tokens", "text")
_DOCUMENT_START = "-DOCSTART-"
_RANGE_OR_EMPTY_NODE = re.compile(r"\d+-\d+|\d+\.\d+")


@dataclass(frozen=True)
class SentenceFile:
    """
    A file of sentences; iterates over their tokens.

    # Parameters

    path : `str`
        UTF-8 text, plain or gzip; "-" for standard input.
    format : `str`, optional (default = `"text"`)
        "text": a sentence per line; blank lines are sentences without tokens. "jsonl": per line, a
        JSON string, array of tokens, or object with one of them under "text" or "tokens". "conll":
        a token per line in columns, separated by tabs or else by white space, and a blank line or
        one of "-DOCSTART-" after each sentence. Lines before a sentence that begin with "# " are
        comments.
    raw : `bool`, optional (default = `False`)
        Tokenize text (see `tokenize`); otherwise tokens are separated by white space.
    column : `int`, optional (default = `1`)
        Column of the token in "conll", from 1; 2 in CoNLL-U.
    """

    path: str
    format: InputFormat = "text"
    raw: bool = False
    column: int = 1

    def __post_init__(self) -> None:
        if self.format not in get_args(InputFormat):
            expected = ", ".join(get_args(InputFormat))
            raise ValueError(f"format: expected one of {expected}, got {self.format!r}")

    def __iter__(self) -> Iterator[list[str]]:
        """
        Yield the tokens of each sentence.

        # Raises

        `ValueError` : invalid UTF-8, JSON of another form, a missing column, a sentence of more
        than 20,000 tokens, or no words at all; names file and line.
        """
        descriptor = _DESCRIPTOR if self.path == STANDARD_INPUT else None
        empty = True
        for number, tokens in self._sentences(numbered_lines(self._name, descriptor)):
            if len(tokens) > MAX_TOKENS:
                raise ValueError(
                    f"{self._name}, line {number}: expected at most {MAX_TOKENS} tokens per "
                    f"sentence, found {len(tokens)}"
                )
            empty = empty and not tokens
            yield tokens
        if empty:
            raise ValueError(f"{self._name}: expected text, found no words")

    @property
    def _name(self) -> str:
        """The name of the file in error messages."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    def _sentences(self, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
        if self.format == "conll":
            yield from self._columns(lines)
            return
        for number, line in lines:
            if self.format == "jsonl" and line.strip():
                yield number, self._json(line, f"{self._name}, line {number}")
            else:
                yield number, self._split(line)

    def _split(self, text: str) -> list[str]:
        return tokenize(text) if self.raw else text.split()

    def _json(self, line: str, source: str) -> list[str]:
        value = parse_json(line, source)
        if isinstance(value, dict):
            value = next((value[key] for key in _JSON_KEYS if key in value), None)
        if isinstance(value, str):
            return self._split(_check_text(value, source))
        if isinstance(value, list) and all(isinstance(token, str) for token in value):
            return [_check_text(token, source) for token in value]
        raise ValueError(
            f"{source}: expected a string, an array of strings, or an object with one of them as "
            f"{' or '.join(map(repr, _JSON_KEYS))}, found {line!r:.80}"
        )

    def _columns(self, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
        tokens: list[str] = []
        number = 0
        for number, line in lines:
            columns = line.split("\t") if "\t" in line else line.split()
            if not line.strip() or columns[0] == _DOCUMENT_START:
                if tokens:
                    yield number, tokens
                tokens = []
            # Within a sentence, "#" is a token.
            elif tokens or not self._is_comment(columns, line):
                tokens += self._token(columns, f"{self._name}, line {number}")
        if tokens:
            yield number, tokens

    def _is_comment(self, columns: Sequence[str], line: str) -> bool:
        if self.column > 1:  # CoNLL-U
            return line.startswith("#") and "\t" not in line
        # "#" may be a token, in the first of several columns.
        return line.startswith(("# ", "#begin ", "#end ")) or columns == ["#"]

    def _token(self, columns: Sequence[str], source: str) -> list[str]:
        if len(columns) < self.column:
            raise ValueError(
                f"{source}: expected a token in column {self.column}, found {len(columns)} columns"
            )
        # In CoNLL-U, ranges and empty nodes are no tokens of their own.
        if self.column > 1 and _RANGE_OR_EMPTY_NODE.fullmatch(columns[0]):
            return []
        token = columns[self.column - 1].strip()
        if not token:
            raise ValueError(f"{source}: expected a token in column {self.column}, found none")
        return [token]


def _check_text(text: str, source: str) -> str:
    # JSON can name halves of characters, which no file can hold.
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{source}: expected Unicode text, found a lone surrogate in {text!r:.60}")
    return text


def input_format(path: str, stated: InputFormat | None = None) -> InputFormat:
    """Return the stated format, or the one that the file's name stands for."""
    if stated is not None:
        return stated
    name = path.lower().removesuffix(".gz")
    if name.endswith(JSON_LINES_SUFFIXES):
        return "jsonl"
    return "conll" if name.endswith(COLUMNS_SUFFIXES) else "text"


def token_column(path: str, stated: int | None = None) -> int:
    """Return the stated column; by default 2 for a name that ends in .conllu, otherwise 1."""
    return stated or (2 if path.lower().removesuffix(".gz").endswith(".conllu") else 1)
