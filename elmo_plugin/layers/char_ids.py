"""Converts words to character ids: UTF-8 bytes between two word boundaries, as in bilm-tf."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set, Sized
from functools import lru_cache
from numbers import Integral
from typing import Any

import torch

BOS_TOKEN = "<S>"
EOS_TOKEN = "</S>"

# Ids 0 to 255 are bytes. Every id that leaves this module is one higher, as 0 is for masked words.
_SENTENCE_START, _SENTENCE_END, _WORD_START, _WORD_END, _PADDING = 256, 257, 258, 259, 260
_MASK_OFFSET = 1

PADDING_ID = _PADDING + _MASK_OFFSET
"""Pads a word to `max_characters`."""

MIN_CHARACTERS, MAX_CHARACTERS = 3, 1000
"""Bounds on `max_characters`: two boundaries and one byte, and far beyond any trained biLM."""

NUM_CHARACTERS = _PADDING + 1 + _MASK_OFFSET
"""Rows of a character embedding: 256 bytes, five special ids, and the zero row of masked words."""


def word_to_ids(word: str, max_characters: int = 50) -> list[int]:
    """
    Convert a word to character ids, as AllenNLP's `ELMoCharacterMapper` does.

    # Parameters

    word : `str`
        `<S>` and `</S>` are the sentence boundaries. Lone surrogates, which UTF-8 cannot encode,
        are left out; bytes beyond `max_characters - 2` are cut off.
    max_characters : `int`, optional (default = `50`)

    # Returns

    `List[int]` : `max_characters` ids from 1 to 261.
    """
    if word == BOS_TOKEN:
        inner: Sequence[int] = (_SENTENCE_START,)
    elif word == EOS_TOKEN:
        inner = (_SENTENCE_END,)
    else:
        inner = word.encode("utf-8", "ignore")[: max_characters - 2]
    ids = [_WORD_START, *inner, _WORD_END]
    ids += [_PADDING] * (max_characters - len(ids))
    return [i + _MASK_OFFSET for i in ids]


def batch_to_ids(sentences: Sequence[Sequence[str]], max_characters: int = 50) -> torch.Tensor:
    """
    Convert tokenized sentences to character ids, as bilm-tf does, padded with 0 to the longest.

    # Parameters

    sentences : `Sequence[Sequence[str]]`
        A list of words per sentence.
    max_characters : `int`, optional (default = `50`)
        From 3 to 1000; see `word_to_ids`.

    # Returns

    `torch.Tensor` : int64, shape (batch, tokens, max_characters).

    # Raises

    `ValueError` : a string in place of a list, or a word that is not a string, with its position;
    or `max_characters` out of bounds.
    """
    check_sentences(sentences)
    check_max_characters(max_characters)
    longest = max(map(len, sentences), default=0)
    ids = torch.zeros(len(sentences), longest, max_characters, dtype=torch.long)
    for row, sentence in zip(ids, sentences):
        if len(sentence):
            content = bytearray().join(_cached_bytes(word, max_characters) for word in sentence)
            words = torch.frombuffer(content, dtype=torch.int16)
            row[: len(sentence)] = words.view(-1, max_characters)
    return ids


def word_bytes(word: str, max_characters: int) -> bytes:
    """Return `word_to_ids` as 16-bit integers in the machine's byte order."""
    return array("h", word_to_ids(word, max_characters)).tobytes()


_cached_bytes = lru_cache(maxsize=2**16)(word_bytes)


def check_max_characters(max_characters: int) -> None:
    """Raise a `ValueError` for other than an integer within the bounds."""
    is_whole = isinstance(max_characters, Integral)
    if not (is_whole and MIN_CHARACTERS <= max_characters <= MAX_CHARACTERS):
        raise ValueError(
            f"max_characters: expected from {MIN_CHARACTERS} to {MAX_CHARACTERS}, "
            f"got {max_characters!r}"
        )


def check_sentences(sentences: Sequence[Sequence[str]], first: int = 0) -> None:
    """
    Raise a `ValueError` that names a string in place of a list, or a word that is no string;
    sentences are counted from `first`.
    """
    # A string is a sequence of strings, so each of its letters would pass as a word.
    _check_list("sentences", sentences, "sentences, each a list of words")
    for i, sentence in enumerate(sentences, first):
        _check_list(f"sentences[{i}]", sentence, "words")
        for j, word in enumerate(sentence):
            if not isinstance(word, str):
                raise ValueError(f"sentences[{i}][{j}]: expected a word (str), got {_format(word)}")


def _check_list(name: str, value: Any, items: str) -> None:
    # A dict would pass as the list of its keys; a set has no order.
    if isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Sized):
        raise ValueError(f"{name}: expected a list of {items}, got {_format(value)}")


def _format(value: Any) -> str:
    return f"{value!r:.60} ({type(value).__name__})"


def ids_to_word(ids: Sequence[int]) -> str:
    """The inverse of `word_to_ids`, as far as the ids hold the word; for messages."""
    inner = [i - _MASK_OFFSET for i in ids]
    if _SENTENCE_START in inner or _SENTENCE_END in inner:
        return BOS_TOKEN if _SENTENCE_START in inner else EOS_TOKEN
    return bytes(i for i in inner if 0 <= i < _SENTENCE_START).decode("utf-8", "replace")


def check_ids(character_ids: torch.Tensor, max_characters: int) -> torch.Tensor:
    """
    Check a batch of character ids.

    # Returns

    `torch.Tensor` : the mask, True where there is a word. Shape (batch, tokens).

    # Raises

    `ValueError` : another shape than (batch, tokens, max_characters), ids outside of 0 to 261, or
    a masked word within a sentence.
    """
    if character_ids.dim() != 3 or character_ids.size(-1) != max_characters:
        raise ValueError(
            f"character_ids: expected shape (batch, tokens, {max_characters}), "
            f"got {tuple(character_ids.shape)}"
        )
    if character_ids.is_floating_point():
        raise ValueError(f"character_ids: expected integers, got {character_ids.dtype}")
    if character_ids.numel():
        low, high = (int(bound) for bound in torch.aminmax(character_ids))
        if low < 0 or high >= NUM_CHARACTERS:
            raise ValueError(
                f"character_ids: expected ids from 0 to {NUM_CHARACTERS - 1}, "
                f"got ids from {low} to {high}"
            )
    mask = (character_ids > 0).any(-1)
    holes = ~mask[:, :-1] & mask[:, 1:]
    if holes.any():
        row, token = holes.nonzero()[0].tolist()
        raise ValueError(
            f"character_ids: expected padding after the end of a sentence only, "
            f"got a masked word at token {token} of row {row} before an unmasked one"
        )
    return mask
