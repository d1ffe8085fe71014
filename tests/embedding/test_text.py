"""Reading sentences to embed from text, JSON lines and columns."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Literal

import conllu
import pytest
from allennlp.data.dataset_readers import Conll2003DatasetReader
from hypothesis import given
from hypothesis import strategies as st

from elmo_plugin.embedding.text import MAX_TOKENS, SentenceFile, input_format, token_column

ROOT = Path(__file__).parents[2]
TOKENS = [["The", "bank", "."], [], ["한국어", "#"]]


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("suffix", ["txt", "txt.gz"])
def test_blank_lines_are_sentences_without_tokens(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text.{suffix}"
    content = "".join(f"{' '.join(tokens)}\n" for tokens in TOKENS).encode()
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    assert list(SentenceFile(str(path))) == TOKENS


json_text = st.text(st.characters(blacklist_categories=["Cs"]))


@given(st.lists(st.lists(json_text), min_size=1).filter(any))
def test_json_arrays_are_tokens(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    lines = "\n".join(json.dumps(row) for row in rows)
    path = _write(tmp_path_factory.mktemp("json") / "text.jsonl", lines)
    assert list(SentenceFile(path, "jsonl")) == rows


def test_json_strings_and_objects(tmp_path: Path) -> None:
    rows = ["a b.", {"text": "a b.", "id": 3}, {"tokens": ["a b."]}]
    path = _write(tmp_path / "text.jsonl", "\n".join(map(json.dumps, rows)) + "\n\n")
    assert list(SentenceFile(path, "jsonl")) == [["a", "b."], ["a", "b."], ["a b."], []]
    raw = list(SentenceFile(path, "jsonl", raw=True))
    assert raw == [["a", "b", "."], ["a", "b", "."], ["a b."], []]


def _allennlps_sentences(path: str) -> list[list[str]]:
    return [
        [token.text for token in instance["tokens"]]
        for instance in Conll2003DatasetReader().read(path)
    ]


def test_columns_equal_allennlps_reader(tmp_path: Path) -> None:
    path = str(ROOT / "fixtures/ner/dev.conll")
    assert list(SentenceFile(path, "conll")) == _allennlps_sentences(path)
    document = "-DOCSTART- -X- O O\n"
    rows = f"{document}In IN O O\nhere RB O O\n{document}{document}So RB O O\n{document}"
    path = _write(tmp_path / "no_blank_lines.conll", rows)
    assert (
        list(SentenceFile(path, "conll")) == _allennlps_sentences(path) == [["In", "here"], ["So"]]
    )


def test_conllu_words_equal_conllus(tmp_path: Path) -> None:
    text = (
        "# sent_id = 1\n1-2\tdel\t_\n1\tde\t_\n2\tel\t_\n3\t#\t_\n3.1\tsilent\t_\n\n"
        "# text = y\n1\ty\t_\n\n# text = 10 000 . #\n1\t10 000\t_\n2\t.\t_\n3\t#\t_\n\n"
    )
    expected = [
        [token["form"] for token in sentence.filter(id=lambda i: isinstance(i, int))]
        for sentence in conllu.parse(text, fields=["id", "form", "lemma"])
    ]
    assert list(SentenceFile(_write(tmp_path / "a.conllu", text), "conll", column=2)) == expected


def test_columns_keep_signs_and_numbers(tmp_path: Path) -> None:
    """Tokens may look like comments or like CoNLL-U ids."""
    words = _write(tmp_path / "a.conll", "# a comment\nthe DT B-NP\n# # I-NP\n2 CD I-NP\n\n")
    assert list(SentenceFile(words, "conll")) == [["the", "#", "2"]]
    tags = _write(tmp_path / "b.conll", "DT\tthe\n.\t.\n:\t-\n")
    assert list(SentenceFile(tags, "conll", column=2)) == [["the", ".", "-"]]


def test_an_empty_first_column_is_no_token(tmp_path: Path) -> None:
    words = _write(tmp_path / "a.conll", "Anna\tB-PER\n\tO\nruns\tO\n\n")
    with pytest.raises(ValueError, match="line 2: expected a token in column 1, found none"):
        list(SentenceFile(words, "conll"))


@pytest.mark.parametrize(("format", "text"), [("jsonl", "[]\n[]\n"), ("conll", "# text = a\n\n")])
def test_no_words(format: Literal["jsonl", "conll"], text: str, tmp_path: Path) -> None:
    path = _write(tmp_path / "a", text)
    with pytest.raises(ValueError, match=f"^{path}: expected text, found no words"):
        list(SentenceFile(path, format))


def test_unknown_format_raises() -> None:
    with pytest.raises(ValueError, match="format: expected one of text, jsonl, conll, got 'json'"):
        SentenceFile("a.txt", "json")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name, column",
    [("a.conllu", 2), ("a.CoNLLU", 2), ("a.conllu.gz", 2), ("a.conll", 1), ("a.txt", 1), ("-", 1)],
)
def test_columns_by_name(name: str, column: int) -> None:
    assert token_column(name) == column
    assert token_column(name, 3) == 3


def test_standard_input_is_read_from_where_it_is(tmp_path: Path) -> None:
    """Start where another program stopped reading."""
    code = (
        "import os; from elmo_plugin.embedding.text import SentenceFile; "
        "os.read(0, 4); print(*SentenceFile('-'))"
    )
    path = _write(tmp_path / "text", "a b\nc d\n\ne\n")
    with open(path) as text:
        found = subprocess.run(
            [sys.executable, "-c", code], stdin=text, capture_output=True, text=True, check=True
        )
    assert found.stdout == "['c', 'd'] [] ['e']\n"


def test_errors_name_standard_input(tmp_path: Path) -> None:
    code = "from elmo_plugin.embedding.text import SentenceFile; list(SentenceFile('-', 'jsonl'))"
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, input="3\n", capture_output=True, text=True)
    assert "ValueError: standard input, line 1: expected a string" in found.stderr


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", "text"),
        ("a.jsonl", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("A.JSONL.GZ", "jsonl"),
        ("a.conllu", "conll"),
        ("a.conll.gz", "conll"),
        ("a", "text"),
        ("-", "text"),
    ],
)
def test_formats_by_name(name: str, expected: str) -> None:
    assert input_format(name) == expected
    assert input_format(name, "conll") == "conll"


BAD = {
    "nothing": ("text", b"", "expected text, found no words"),
    "UTF-8": ("text", b"a b\n\xff\xfe\n", "near line 2: expected UTF-8 text"),
    "a long sentence": ("text", b"a " * (MAX_TOKENS + 1), f"line 1: expected at most {MAX_TOKENS}"),
    "broken JSON": ("jsonl", b'"a"\n{"text": \n', "line 2: expected JSON"),
    "another key": ("jsonl", b'{"sentence": "a"}', "line 1: expected a string, an array"),
    "numbers": ("jsonl", b"[1, 2]", "line 1: expected a string, an array"),
    "half a character": ("jsonl", b'["\\ud800"]', "line 1: expected Unicode text"),
    "an empty column": (
        "conll",
        b"a\tb\nc\t\td\n",
        "line 2: expected a token in column 2, found no",
    ),
    "few columns": ("conll", b"a b\nc\n", "line 2: expected a token in column 2, found 1 columns"),
}


@pytest.mark.parametrize(("form", "content", "message"), BAD.values(), ids=BAD)
def test_errors_name_file_and_line(tmp_path: Path, form: str, content: bytes, message: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(ValueError) as error:
        list(SentenceFile(str(path), form, column=2 if form == "conll" else 1))  # type: ignore[arg-type]
    assert str(error.value).startswith(f"{path}") and message in str(error.value)


def test_conllu_comments_need_no_space(tmp_path: Path) -> None:
    path = tmp_path / "text.conllu"
    path.write_text("#sent_id = 5\n#newpar\n1\t#\t#\n2\tone\tone\n\n#text=x y\n1\tEnd\tend\n")
    assert list(SentenceFile(str(path), "conll", column=2)) == [["#", "one"], ["End"]]
