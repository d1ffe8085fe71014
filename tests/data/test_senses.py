"""Sense-tagged text, and WordNet's first senses."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from elmo_plugin.data.senses import SenseInstance, read_first_senses, read_senses

PLAY = {"start": 1, "end": 3, "lemma": "play_off", "pos": "n", "sense": "play-off%1:04:00::"}


def write(path: Path, *lines: Any) -> str:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_sentences_and_senses(tmp_path: Path) -> None:
    lines = [
        {"tokens": ["Rain", "."], "senses": []},
        {"tokens": ["the", "play", "off"], "senses": [PLAY]},
    ]
    sentences, instances = read_senses(write(tmp_path / "s.jsonl", *lines))
    assert sentences == [["Rain", "."], ["the", "play", "off"]]
    assert instances == [SenseInstance(1, 1, 3, "play_off.n", "play-off%1:04:00::")]


@pytest.mark.parametrize(
    "line, problem",
    [
        ({"tokens": ["the", "play"], "senses": [PLAY]}, "senses: expected start and end"),
        ({"tokens": ["a", "b"], "senses": [{**PLAY, "end": 1}]}, "senses: expected start and end"),
        ({"tokens": ["a", "b"], "senses": [{**PLAY, "end": 2.0}]}, "senses: expected start and"),
        ({"tokens": ["a", "b"], "senses": [{**PLAY, "start": True, "end": 2}]}, "senses: expected"),
        ({"tokens": ["a", "b"], "senses": [{"start": 1, "end": 2}]}, "senses: lemma: expected"),
        ({"tokens": ["a"], "senses": [{**PLAY, "start": 0, "end": 1, "sense": []}]}, "sense: exp"),
        ({"tokens": ["the"]}, "senses: expected a list of objects, found None"),
        ({"tokens": ["the"], "senses": [3]}, "senses: expected a list of objects, found [3]"),
        ({"tokens": "the", "senses": []}, "tokens: expected a list of strings, found 'the'"),
        ({"tokens": ["a", 3], "senses": []}, "tokens: expected a list of strings"),
        (["the"], "tokens: expected a list of strings, found None"),
    ],
)
def test_invalid_lines_are_named(tmp_path: Path, line: Any, problem: str) -> None:
    file = write(tmp_path / "s.jsonl", {"tokens": ["a"], "senses": []}, line)
    with pytest.raises(ValueError, match=re.escape(f"{file}, line 2: ")) as error:
        read_senses(file)
    assert problem in str(error.value)


def test_text_without_senses(tmp_path: Path) -> None:
    file = write(tmp_path / "s.jsonl", {"tokens": ["a"], "senses": []})
    with pytest.raises(ValueError, match="expected words tagged with senses"):
        read_senses(file)


def test_first_senses_of_wordnet(tmp_path: Path) -> None:
    lines = [
        "able%3:00:00:: 00001740 1 50",
        "able%5:00:00:capable:00 00306663 2 10",
        "play%1:04:00:: 00556313 3 1",
        "play%1:10:01:: 07007945 1 6",
        "play%2:33:00:: 01072949 1 57",
        "still%4:02:01:: 00031899 1 9",
        "wee%5:00:00:small:00 01393017 1 1",
    ]
    (tmp_path / "index.sense").write_text("\n".join(lines) + "\n")
    assert read_first_senses(str(tmp_path / "index.sense")) == {
        "able.a": "able%3:00:00::",
        "play.n": "play%1:10:01::",
        "play.v": "play%2:33:00::",
        "still.r": "still%4:02:01::",
        "wee.a": "wee%5:00:00:small:00",
    }


@pytest.mark.parametrize("line", ["play%1:04:00:: 00556313 3", "play 1 2 3", "play%9:0 1 1 1"])
def test_invalid_index_lines_are_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "index.sense").write_text(f"a%1:00:00:: 1 1 1\n{line}\n")
    with pytest.raises(ValueError, match="line 2: expected a line of WordNet's"):
        read_first_senses(str(tmp_path / "index.sense"))
