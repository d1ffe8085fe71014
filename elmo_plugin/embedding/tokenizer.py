"""Splits raw text into tokens like those that the built-in biLM was trained on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from typing import Union

TextOrTokens = Union[str, Sequence[str]]
"""Raw text, which is tokenized (see `tokenize`), or a list of tokens."""

_TOKEN = r"""
    {word}+ (?= n['\u2019]t\b)              # do|n't
    | n['\u2019]t\b
    | ['\u2019] (?: s | m | d | ll | re | ve )\b # it|'s
    | \d+ (?: [.,:]\d+ )+                   # 1,000.5 and 12:30
    | (?: [^\W\d_] \. ){{2,}}               # U.S. and e.g.
    | (?: Mr | Mrs | Ms | Dr | St | Prof | Jr | Sr ) \.
    | {word}+
    | (\.{{2,}} | -{{2,}} | \S)\1*          # any other sign, repeated or not
"""
_BASIC_PLANES = 0x20000
_VARIATION_SELECTORS = "\U000e0100-\U000e01ef"  # the only marks above those planes
_JOINERS = "\u200c\u200d"


def tokenize(text: str) -> list[str]:
    """
    Split raw text into tokens. Words end at white space and at every sign that is neither letter,
    digit nor underscore; repeated signs stay together. Four kinds of tokens contain signs: numbers
    (1,000.5), abbreviations of single letters (U.S.), titles (Mr.), and the parts of English
    contractions, which are split as in the Penn Treebank (do n't, it 's).

    # Parameters

    text : `str`
        One sentence: it is not split into sentences.

    # Returns

    `List[str]` : joined, they are the text without its white space.
    """
    return [match.group() for match in _pattern().finditer(text)]


def as_tokens(sentence: TextOrTokens) -> Sequence[str]:
    """Tokenize a string; return a list of tokens as it is."""
    return tokenize(sentence) if isinstance(sentence, str) else sentence


def check_texts(sentences: Iterable[TextOrTokens]) -> None:
    """Raise a `ValueError` for anything else than a list, an iterator or an array of sentences."""
    # These yield letters, keys and names of columns; a set has no order.
    others = isinstance(sentences, (str, Mapping, Set)) or hasattr(sentences, "columns")
    is_scalar = getattr(sentences, "shape", None) == ()
    if others or is_scalar or not isinstance(sentences, Iterable):
        found = f"{' '.join(repr(sentences).split()):.60} ({type(sentences).__name__})"
        raise ValueError(f"sentences: expected a list, got {found}")


@cache
def _pattern() -> re.Pattern[str]:
    # `\w` lacks the marks that vowels are written with in many scripts.
    marks = [chr(c) for c in range(_BASIC_PLANES) if unicodedata.category(chr(c))[0] == "M"]
    word = rf"[\w{''.join(marks)}{_VARIATION_SELECTORS}{_JOINERS}]"
    return re.compile(_TOKEN.format(word=word), re.VERBOSE | re.IGNORECASE)
