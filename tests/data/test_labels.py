"""Labels of tokens, from CoNLL-U and from parallel files."""

import gzip
import re
from pathlib import Path

import conllu
import pytest

from elmo_plugin.data.labels import are_parts_of_speech, read_conllu, read_parallel

CONLLU = """\
# text = Don't go.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp|VerbForm=Fin\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

# text = New York
1\tNew York\tNew York\tPROPN\tNNP\t_\t0\troot\t0:root\t_
1.1\tis\tbe\tAUX\t_\t_\t_\t_\t_\t_
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.conllu").write_text(CONLLU, encoding="utf-8")
    return tmp_path / "a.conllu"


@pytest.mark.parametrize("column", ["form", "lemma", "upos", "xpos", "deprel"])
def test_columns_are_those_of_the_conllu_library(file: Path, column: str) -> None:
    words = [
        [token for token in sentence if isinstance(token["id"], int)]
        for sentence in conllu.parse(CONLLU)
    ]
    found = read_conllu(str(file), column)
    assert [s.tokens for s in found] == [[t["form"] for t in sentence] for sentence in words]
    assert [s.labels for s in found] == [[t[column] for t in sentence] for sentence in words]


def test_columns_are_read_as_written(file: Path) -> None:
    [first, _] = read_conllu(str(file), "feats")
    assert first.labels == ["Mood=Imp|VerbForm=Fin", "_", "_", "_"]


def test_unknown_column(file: Path) -> None:
    with pytest.raises(ValueError, match=r"expected one of id, form, .* got 'pos'"):
        read_conllu(str(file), "pos")


def test_line_with_missing_columns_is_named(file: Path) -> None:
    file.write_text(CONLLU.replace("3\tgo\tgo", "3\tgo"), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{file}, line 5: expected the 10")):
        read_conllu(str(file), "upos")


def test_two_spaces_do_not_shift_columns(file: Path) -> None:
    """The conllu library splits at them."""
    file.write_text(CONLLU.replace("New York\tNew", "New  York\tNew"), encoding="utf-8")
    with pytest.raises(ValueError, match="line 9: expected the 10 columns of CoNLL-U, found 11"):
        read_conllu(str(file), "upos")


def test_invalid_id_is_named(file: Path) -> None:
    file.write_text(CONLLU.replace("3\tgo", "x\tgo"), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{file}: expected CoNLL-U, found: ") + ".*'x'"):
        read_conllu(str(file), "upos")


def test_comments_are_not_sentences(file: Path) -> None:
    file.write_text("# text = none\n\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected sentences in CoNLL-U"):
        read_conllu(str(file), "upos")


def test_parallel_files(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "text.txt.gz", "wt", encoding="utf-8") as text:
        text.write("It rains .\n\nIch gehe\n")
    (tmp_path / "labels.txt").write_text("P V .\n\nP V\n")
    found = read_parallel(str(tmp_path / "text.txt.gz"), str(tmp_path / "labels.txt"))
    assert [(s.tokens, s.labels) for s in found] == [
        (["It", "rains", "."], ["P", "V", "."]),
        (["Ich", "gehe"], ["P", "V"]),
    ]


@pytest.mark.parametrize(
    "labels, line, found", [("P V\n\nP V\n", 1, 2), ("P V .\nP V\n", 2, 2), ("P V .\n\n", 3, 0)]
)
def test_lines_with_other_numbers_of_labels_are_named(
    tmp_path: Path, labels: str, line: int, found: int
) -> None:
    text, file = tmp_path / "text.txt", tmp_path / "labels.txt"
    text.write_text("It rains .\n\nIch gehe\n")
    file.write_text(labels)
    with pytest.raises(ValueError, match=re.escape(f"{file}, line {line}: ")) as error:
        read_parallel(str(text), str(file))
    assert str(error.value).endswith(f"found {found}")


def test_more_lines_of_labels_than_of_text(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a\n")
    (tmp_path / "labels.txt").write_text("A\nB\n")
    with pytest.raises(ValueError, match=r"line 2: .* of the 0 tokens"):
        read_parallel(str(tmp_path / "text.txt"), str(tmp_path / "labels.txt"))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["NOUN", "VERB"], True),
        (["NN", "VBZ", "."], True),
        (["NOUN", "NN"], False),
        (["O", "B-PER"], False),
        (["nsubj", "root"], False),
    ],
)
def test_parts_of_speech_are_told_from_other_labels(labels: list[str], expected: bool) -> None:
    assert are_parts_of_speech(labels) == expected
