"""Commands name data files in another format than their reader's, in one line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp_models.common.ontonotes import Ontonotes

from elmo_plugin.compat.command import running_command

import_plugins()

CONTENTS = {
    "not an object": ("snli", "[1, 2]\n"),
    "a key with another type": ("snli", '{"sentence1": 5, "sentence2": "x", "gold_label": "x"}\n'),
    "deep nesting": ("snli", "[" * 100_000 + "\n"),
    "a token of 200 KB": ("sst_tokens", "x" * 200_000 + "\n"),
    "too few columns": ("conll2003", "a B\n\n"),
}
PAIR = {"sentence1": "It rained.", "sentence2": "It was dry.", "gold_label": "contradiction"}
TREE = "(2 (2 the) (2 cast))"
# Each file's third line is at fault; what the error says of it.
THIRD_LINES: dict[str, tuple[str, str, str, str]] = {
    "cut JSON": ("snli", json.dumps(PAIR), '{"sentence1": "It', 'found \'{"sentence1": "It\''),
    "blank line": ("snli", json.dumps(PAIR), "", "found ''"),
    "unknown label": (
        *("snli", json.dumps(PAIR), json.dumps({**PAIR, "gold_label": "?"})),
        '"gold_label": "?".*"contradiction", "neutral", "entailment"',
    ),
    "missing key": (
        *("snli", json.dumps(PAIR), json.dumps({"gold_label": "neutral"})),
        "KeyError: 'sentence1'",
    ),
    "no tree": ("sst_tokens", TREE, "the cast", "found 'the cast'"),
    "two trees": ("sst_tokens", TREE, f"{TREE} {TREE}", "expected 'end-of-string'"),
    "another sentiment": ("sst_tokens", TREE, "(7 the)", "expected a sentiment from 0 to 4.*'7'"),
    "no sentiment": ("sst_phrases", TREE, "((2 the) (2 cast))", "from 0 to 4, found ''"),
    "no token": ("sst_phrases", TREE, "(2 )", "expected at least one token, found none"),
}
ROW = "d 0 0 w XX - - - - - * {} {}\n"


def read(reader: str, file: Path, /, **options: Any) -> list[Any]:
    with running_command():
        params = Params({"type": reader, **options})
        return list(DatasetReader.from_params(params).read(str(file)))


@pytest.mark.parametrize(("reader", "content"), CONTENTS.values(), ids=CONTENTS)
def test_errors_name_the_file(reader: str, content: str, tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_text(content)
    with pytest.raises(ConfigurationError) as raised:
        read(reader, file)
    message = str(raised.value)
    assert re.match(rf"{file}, line 1: |{file}, lines 1 to 2: ", message)
    assert len(message) < 1000 and "\n" not in message


@pytest.mark.parametrize(
    ("reader", "whole", "damaged", "problem"), THIRD_LINES.values(), ids=THIRD_LINES
)
def test_errors_name_the_line(
    reader: str, whole: str, damaged: str, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "data.txt"
    file.write_text(f"{whole}\n{whole}\n{damaged}\n{whole}\n")
    with pytest.raises(ConfigurationError, match=f"^{file}, line 3: .*{problem}"):
        read(reader, file)


def test_errors_name_the_line_also_of_a_part_of_the_data(tmp_path: Path) -> None:
    """The reader of the part reads all instances before it returns one."""
    file = tmp_path / "data.txt"
    file.write_text(f"{TREE}\n{TREE}\n(7 the)\n{TREE}\n")
    with pytest.raises(ConfigurationError, match=f"^{file}, line 3: expected a sentiment"):
        read("subsample", file, fraction=0.5, reader={"type": "sst_tokens"})


def test_errors_name_the_lines_of_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_text("a A O O\n\nb B O O\nc C O E-X\n\nd D O O\n")
    with pytest.raises(ConfigurationError, match=f"^{file}, lines 3 to 5: label: expected O, B-"):
        read("conll2003_bio2", file)


def test_each_of_two_readers_names_its_own_line(tmp_path: Path) -> None:
    """Also if the other has read a line since this one did: a tree has several phrases."""
    files = [tmp_path / "a", tmp_path / "b"]
    files[0].write_text("(2 (7 the) (2 cast))\n")
    files[1].write_text(f"{TREE}\n\n\n")  # its end is read after the last instance
    with running_command():
        reader = DatasetReader.by_name("sst_phrases")(use_subtrees=True)
        a, b = (iter(reader.read(str(file))) for file in files)
        next(a)
        assert len(list(b)) == 3
        with pytest.raises(ConfigurationError, match=f"^{files[0]}, line 1: .*found '7'"):
            next(a)


def test_instances_without_labels_are_read(tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_text(f"{json.dumps({**PAIR, 'gold_label': None})}\n" * 2)
    assert [sorted(instance) for instance in read("snli", file)] == [
        ["hypothesis", "metadata", "premise"]
    ] * 2


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        ([("*", "(3"), ("*", "-"), ("*", "-")], 2, r"expected 3\) after \(3 in a sentence"),
        ([("*", "(3"), ("*", "3)"), ("*", "3)")], 4, r"expected \(3 before 3\) in a sentence"),
        ([("*", "-"), ("*", "-|(1)")], 3, r"coreference such as \(1\) or - in column 13"),
        ([("*", "-"), ("(V*)", "")], 3, "expected 13 columns, found 12: 'd 0 0 w XX"),
        ([("*", "-"), ("* *", "-")], 3, "expected 13 columns, found 14: 'd 0 0 w XX"),
        ([("*", "-"), ("*", "(ARG0*")], 3, r"coreference .* in column 13, found '\(ARG0\*'"),
        ([("(ARG0*", "-"), ("*", "-")], 2, r"expected \*\) after \(ARG0\* in column 12"),
        ([("*)", "-"), ("*", "-")], 2, r"expected a role that begins before \*\) in column 12"),
        ([("(ARG0*)", "-"), ("*)", "-")], 3, r"expected a role that begins before \*\)"),
        ([("*", "-"), ("ARG0", "-")], 3, r"roles such as .* in column 12, found 'ARG0'"),
    ],
)
def test_errors_name_the_row_of_ontonotes(
    rows: list[tuple[str, str]], line: int, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.gold_conll"
    text = "#begin document (d); part 000\n" + "".join(ROW.format(*row) for row in rows) + "\n"
    file.write_text(f"{text}#end document\n")
    for reader, path in ({"type": "coref", "max_span_width": 2}, file), ({"type": "srl"}, tmp_path):
        with pytest.raises(ConfigurationError, match=f"^{file}, line {line}: .*{problem}"):
            read(reader.pop("type"), path, **reader)


@pytest.mark.parametrize(
    ("column", "content", "problem"),
    [
        (1, "x", "expected a number in column 2, found 'x'"),
        (5, "(TOP", r"expected one \* in column 6, found '\(TOP'"),
        (8, "x", "expected a number or - in column 9, found 'x'"),
    ],
)
def test_errors_name_the_column_of_ontonotes(
    column: int, content: str, problem: str, tmp_path: Path
) -> None:
    columns = ["d", "0", "0", "w", "NN", "*", "-", "-", "-", "-", "*", "(V*)", "-"]
    columns[column] = content
    (tmp_path / "x.gold_conll").write_text(" ".join(columns) + "\n\n")
    with pytest.raises(ConfigurationError, match=f"x.gold_conll, line 1: {problem}"):
        read("srl", tmp_path)


def test_a_document_without_an_end_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.conll"
    part = "#begin document (d); part 00{}\n" + ROW.format("(V*)", "(1)") + "\n{}"
    file.write_text(part.format(0, "#end document\n") + part.format(1, ""))
    assert len(read("coref", file, max_span_width=2)) == 2
    file.write_text(part.format(0, "") + part.format(1, "#end document\n"))
    problem = r"expected #end document after '#begin document \(d\); part 000', found '#begin"
    with pytest.raises(ConfigurationError, match=f"^{file}, line 4: {problem}"):
        read("coref", file, max_span_width=2)


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n#end document", "\n#end document\n"])
def test_a_last_sentence_is_not_left_out(end: str, tmp_path: Path) -> None:
    row = ROW.format("(V*)", "-")
    file = tmp_path / "x.gold_conll"
    file.write_text(f"{row}\n{row}{row.strip()}{end}")
    assert [len(instance["tokens"]) for instance in read("srl", tmp_path)] == [1, 2]
    file.write_text(f"{row}\n{row}d{end}")
    with pytest.raises(ConfigurationError, match=f"^{file}, line 4: expected 13 columns, found 1"):
        read("srl", tmp_path)


@pytest.mark.parametrize(("path", "found"), [("x.gold_conll", "a file"), (".", "none")])
def test_a_directory_of_ontonotes_is_required(path: str, found: str, tmp_path: Path) -> None:
    (tmp_path / path / "x").touch() if path == "." else (tmp_path / path).touch()
    message = f"expected a directory of files that end in gold_conll, found {found}$"
    with pytest.raises(ConfigurationError, match=message):
        read("srl", tmp_path / path)


def test_data_without_coreference_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, mention in (("a", "-"), ("b", "(1)")):
        (tmp_path / name).write_text(f"{ROW.format('(V*)', mention)}\n#end document\n")
        read("coref_sentences", tmp_path / name, max_span_width=2)
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == [f"{tmp_path / 'a'}: found no mention in its last column, coreference"]


def test_instances_that_lack_the_label_of_others(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    labels = ("neutral", "neutral", None)
    file.write_text("".join(f"{json.dumps({**PAIR, 'gold_label': x})}\n" for x in labels))
    with running_command():
        loader = MultiProcessDataLoader(DatasetReader.by_name("snli")(), str(file), batch_size=2)
        vocabulary = Vocabulary.from_instances(loader.iter_instances())
        with pytest.raises(
            ConfigurationError, match=f"^{file}, instance 3: expected .*label.*found"
        ):
            loader.index_with(vocabulary)


def test_labels_that_a_vocabulary_lacks(tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_text(f"{TREE}\n(1 the)\n")
    with running_command():
        reader = DatasetReader.by_name("sst_tokens")()
        loader = MultiProcessDataLoader(reader, str(file), batch_size=2)
        with pytest.raises(ConfigurationError, match=f"^{file}, instance 2: .*'1' not found"):
            loader.index_with(Vocabulary({"labels": {"2": 1}}))


def test_files_of_a_directory_are_read_in_the_order_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order the file system lists them, which differs between disks."""
    names = ["b/1.gold_conll", "b/3.gold_conll", "a/2.gold_conll", "c.gold_conll", "a/2.gold_skel"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    expected = [str(tmp_path / name) for name in sorted(names) if name.endswith("gold_conll")]
    listed = list(os.walk(tmp_path))
    for order in (listed, [(root, folders, files[::-1]) for root, folders, files in listed[::-1]]):
        monkeypatch.setattr(os, "walk", lambda path, order=order: iter(order))
        assert list(Ontonotes.dataset_path_iterator(str(tmp_path))) == expected
