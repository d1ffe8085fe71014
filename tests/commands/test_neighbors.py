"""`elmo index` and `elmo neighbors`."""

import json
from pathlib import Path

import numpy
import pytest

from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex
from elmo_plugin.experiments.table4_neighbors import in_context
from tests.helpers.command_line import elmo
from tests.helpers.play_corpus import BILM, QUERY, write_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    return write_corpus(tmp_path)


def test_table_of_both_senses_beside_static_neighbors(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vectors.txt").write_text("play 1 0 0\ngame 0.9 0.1 0\nlate 0 0 1\n")
    bilm = ("--bilm", BILM)
    elmo(monkeypatch, "index", corpus, tmp_path / "average", *bilm)
    elmo(monkeypatch, "index", corpus, tmp_path / "random", *bilm, "--layers", "0", "--random", "7")
    queries = [("play", " ".join(QUERY)), ("late", "Is it late ?")]
    elmo(
        *(monkeypatch, "neighbors", tmp_path / "average", tmp_path / "random"),
        *(word for query in queries for word in ("--query", *query)),
        *("--vectors", tmp_path / "vectors.txt", "--top-k", "2", "--out", tmp_path / "out"),
    )
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert list(rows[0]) == ["query", "static vectors", "biLM, average", "random biLM, layer 0"]
    assert [row["query"] for row in rows] == [
        *("He saw a **play** at the theatre .", ""),
        *("Is it **late** ?", ""),
    ]
    assert rows[0]["static vectors"] == f"{0.9 / numpy.hypot(0.9, 0.1):.2f}: game"
    index = CorpusIndex(str(tmp_path / "average"))
    [first, _] = index.nearest(QUERY, QUERY.index("play"), 2)
    shown = in_context(first.sentence, first.position)
    assert rows[0]["biLM, average"] == f"{first.cosine:.2f}: {shown}"
    # Even a random token layer gives a word the same vector everywhere.
    assert "**play**" in rows[0]["random biLM, layer 0"]
    assert rows[2]["random biLM, layer 0"] == "1.00: It is **late** ."


def test_word_that_is_not_in_its_sentence(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "index", corpus, tmp_path / "index", "--bilm", BILM)
    given = ("--query", "play", "No such word", "--vectors", tmp_path / "none.txt")
    with pytest.raises(SystemExit, match="expected 'play' among the tokens"):
        elmo(monkeypatch, "neighbors", tmp_path / "index", *given)


def test_layer_that_is_not_a_number(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        elmo(monkeypatch, "index", corpus, tmp_path / "new", "--layers", "top")
    assert "expected average, last or the index of a layer, got 'top'" in capsys.readouterr().err


def test_without_static_vectors_there_is_no_column_of_them(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elmo(monkeypatch, "index", corpus, tmp_path / "index", "--bilm", BILM)
    capsys.readouterr()
    query = ("--query", "play", " ".join(QUERY))
    elmo(monkeypatch, "neighbors", tmp_path / "index", *query, "--json")
    assert json.loads(capsys.readouterr().out)["columns"] == ["query", "biLM, average"]


def test_indexes_of_the_same_layer_are_told_apart(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [str(tmp_path / name) for name in ("one", "two")]
    for folder in folders:
        elmo(monkeypatch, "index", corpus, folder, "--bilm", BILM)
    query = ("--query", "play", " ".join(QUERY))
    elmo(monkeypatch, "neighbors", *folders, *query, "--out", tmp_path / "out")
    (row, *_) = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert list(row) == ["query", *(f"biLM, average, {folder}" for folder in folders)]
    with pytest.raises(SystemExit, match="INDEX: expected different directories"):
        elmo(monkeypatch, "neighbors", folders[0], folders[0], *query)
