"""Text files against Python's own reading, and damaged gzip."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elmo_plugin.common.text import read_sentences
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader

TEXT = "The cat sat .\n\nIt was 한국어 .\n" * 20


def expected(content: bytes) -> list[list[str]]:
    """
    # Raises

    `ValueError` : the content is not UTF-8, or carriage returns divide its last line.
    """
    lines = content.decode("utf-8-sig").split("\n")
    if "\r" in lines[-1].rstrip("\r"):
        raise ValueError("lines that end at carriage returns alone")
    return [words for line in lines if (words := line.split())]


def check(content: bytes, name: str, written: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, name)
        file.write_bytes(written)
        try:
            sentences = expected(content)
        except ValueError:
            sentences = []
        if sentences:
            assert list(read_sentences(str(file))) == sentences
            instances = BilmTextReader().read(str(file))
            assert [instance["text"].sentence for instance in instances] == sentences
        else:
            with pytest.raises(ValueError, match=name):
                list(read_sentences(str(file)))


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbfThe cat\n")
@example(b"The \xff cat\n")
@example(b" \n\n")
def test_bytes(content: bytes) -> None:
    check(content, "text.txt", content)
    check(content, "text.gz", gzip.compress(content))


@given(st.text(st.sampled_from("ab \t\r\n\f\0\u00a0\u2028\u0085\u200b\ufeffé🙂"), max_size=60))
def test_characters(text: str) -> None:
    check(text.encode(), "text.txt", text.encode())


@given(st.data())
def test_damaged_gzip_is_refused_or_read_whole(data: st.DataObject) -> None:
    whole = gzip.compress(TEXT.encode())
    place = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.booleans())
    bit = data.draw(st.integers(0, 7))
    damaged = whole[:place] if cut else flipped(whole, place, bit)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "text.gz")
        file.write_bytes(damaged)
        try:
            found = list(read_sentences(str(file)))
        except ValueError as error:
            assert "text.gz" in str(error)
        else:
            # Of the header, not all is protected.
            assert found == expected(TEXT.encode())


def flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
