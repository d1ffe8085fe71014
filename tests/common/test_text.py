from __future__ import annotations

import gzip
import os
import random
import re
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_plugin.common.text import (
    MAX_LINE_BYTES,
    numbered_lines,
    read_lines,
    read_sentences,
    sentence_files,
    text_files,
)

TEXT = "The cat\n\n \t sat on  the\tmat . \r\n   \n한국어 🙂\n\nlast"
SENTENCES = [["The", "cat"], ["sat", "on", "the", "mat", "."], ["한국어", "🙂"], ["last"]]


def _write(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def test_words_of_each_line_that_has_any(tmp_path: Path) -> None:
    assert list(read_sentences(_write(tmp_path / "a.txt", TEXT.encode()))) == SENTENCES


def test_gzip(tmp_path: Path) -> None:
    # Two members in one file, as `cat a.gz b.gz` makes it.
    content = gzip.compress(TEXT.encode()) + gzip.compress(b" word\n")
    file = _write(tmp_path / "a.gz", content)
    assert list(read_sentences(file)) == [*SENTENCES[:-1], ["last", "word"]]


def test_files_of_a_glob_in_order(tmp_path: Path) -> None:
    files = [_write(tmp_path / name, b"x\n") for name in ("b.txt", "a.txt", "c.gz")]
    (tmp_path / "a.directory").mkdir()
    assert text_files(str(tmp_path / "*")) == [files[1], files[0], files[2]]
    assert text_files(str(tmp_path / "[ab].txt")) == [files[1], files[0]]


def test_two_stars_stand_for_any_number_of_directories(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    files = [_write(tmp_path / name, b"x\n") for name in ("a.txt", "b/b.txt", "b/c/c.txt")]
    assert text_files(str(tmp_path / "**" / "*.txt")) == files


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    file = _write(tmp_path / "[a].txt", b"x\n")
    assert text_files(file) == [file]


@pytest.mark.parametrize(
    "name", ["a.conllu", "a.conll.gz", "a.conll03", "a.jsonl", "a.ndjson", "A.JSONL"]
)
def test_names_of_columns_and_json_lines_are_no_sentences(name: str, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("Some words\n")
    file = _write(tmp_path / name, b"1\tSome\n")
    with pytest.raises(ValueError, match=f"^{re.escape(file)}: expected text with one tokenized"):
        sentence_files(str(tmp_path / "*"))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("absent.txt", "none"),
        ("*.absent", "none"),
        ("directory", "another kind of file"),
        ("pipe", "another kind of file"),
    ],
)
def test_no_file(name: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=rf"{name[1:]}: expected .* found {found}"):
        text_files(str(tmp_path / name))


@pytest.mark.parametrize("content", [b"", b"\n \n\t\n"], ids=["empty", "blank lines"])
@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
def test_no_words(content: bytes, name: str, tmp_path: Path) -> None:
    file = _write(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(ValueError, match=rf"{name}: expected .* found no words"):
        list(read_sentences(file))


# A byte that never occurs, an encoded surrogate, an overlong slash, and a character cut short.
@pytest.mark.parametrize("bad", [b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xe2\x82"])
@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
def test_invalid_utf8_is_named_by_file_and_line(bad: bytes, name: str, tmp_path: Path) -> None:
    content = b"one\n\n\xe2\x82\xac two\nthree " + bad + b"\nfour\n"
    file = _write(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content)
    sentences = read_sentences(file)
    assert [next(sentences), next(sentences)] == [["one"], ["€", "two"]]
    with pytest.raises(ValueError, match=rf"{name}, .*line 4: expected UTF-8"):
        next(sentences)


def _broken_gzip() -> dict[str, bytes]:
    words = random.Random(0)
    text = "\n".join(str(words.random()) for _ in range(5000)).encode()
    whole = gzip.compress(text)
    middle = len(whole) // 2
    return {
        "none at all": text,
        "cut in the middle": whole[:middle],
        "without its end": whole[:-4],
        "changed in the middle": whole[:middle] + bytes(200) + whole[middle + 200 :],
        # After its header of ten bytes: 0b111 begins a block of a kind that there is not.
        "changed at the beginning": whole[:10] + b"\xff" + whole[11:],
        "wrong checksum": whole[:-8] + bytes(4) + whole[-4:],
    }


@pytest.mark.parametrize("content", _broken_gzip().values(), ids=_broken_gzip())
def test_broken_gzip_is_named(content: bytes, tmp_path: Path) -> None:
    file = _write(tmp_path / "a.gz", content)
    with pytest.raises(ValueError, match=r"a\.gz, .*line \d+: expected"):
        list(read_sentences(file))


@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
def test_a_byte_order_mark_is_no_word(name: str, tmp_path: Path) -> None:
    content = "\ufeffone two\n\ufeffthree\n".encode()
    file = _write(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content)
    # At the start alone: elsewhere it is a zero-width space.
    assert list(read_sentences(file)) == [["one", "two"], ["\ufeffthree"]]
    with pytest.raises(ValueError, match="found no words"):
        list(read_sentences(_write(tmp_path / "mark.txt", b"\xef\xbb\xbf\n")))


@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
def test_a_line_beyond_the_limit_is_named(name: str, tmp_path: Path) -> None:
    def lines(length: int) -> str:
        content = b"one\n" + b"x" * (length - 1) + b"\nthree\n"
        return _write(tmp_path / name, gzip.compress(content, 1) if name[-1] == "z" else content)

    assert [len(line) for line in read_lines(lines(MAX_LINE_BYTES))] == [3, 2**24 - 1, 5]
    found = read_lines(lines(MAX_LINE_BYTES + 1))
    assert next(found) == "one"
    with pytest.raises(ValueError, match=rf"{name}, line 2: expected at most 16777216 byte"):
        next(found)


def test_a_line_without_end_is_not_read_whole(tmp_path: Path) -> None:
    whole = gzip.compress(b"x" * 2**20, 1) * 256  # a quarter of a gigabyte
    file = _write(tmp_path / "a.gz", whole)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"line 1: expected at most"):
        list(read_sentences(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * MAX_LINE_BYTES


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters(codec="utf-8")))
def test_lines_end_at_line_feeds_only(written: str) -> None:
    with TemporaryDirectory() as directory:
        file = Path(directory, "a.txt")
        file.write_bytes(f"word\n{written}\n".encode())
        found = [line for _, line in numbered_lines(str(file))][1:]
    assert found == [line.rstrip("\r") for line in written.split("\n")]


@pytest.mark.parametrize("content", [b"a b\rc d\r", b"a b\rc d", b"a b\nc\rd\r"])
def test_lines_that_end_at_carriage_returns_alone_raise(content: bytes, tmp_path: Path) -> None:
    file = _write(tmp_path / "a.txt", content)
    number = content.count(b"\n") + 1
    with pytest.raises(ValueError, match=rf"a\.txt, line {number}: expected lines that end at \\n"):
        list(numbered_lines(file))


def test_carriage_returns_at_the_end_of_the_last_line(tmp_path: Path) -> None:
    assert list(read_lines(_write(tmp_path / "a.txt", b"a\r\nb\r\r"))) == ["a", "b"]


@pytest.mark.parametrize("name", ["directory", "directory.gz", "absent"])
def test_no_file_to_read(name: str, tmp_path: Path) -> None:
    if name != "absent":
        (tmp_path / name).mkdir()
    with pytest.raises(OSError, match=name):
        list(numbered_lines(str(tmp_path / name)))
