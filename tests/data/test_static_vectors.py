"""Static vectors, against AllenNLP's reader."""

import re
from pathlib import Path

import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders import Embedding

from elmo_plugin.data.static_vectors import read_static_vectors

FILE = Path(__file__).parent.parent.parent / "fixtures/vectors/vectors.16d.txt"


def test_vectors_are_those_of_allennlps_reader() -> None:
    vectors = read_static_vectors(str(FILE))
    vocab = Vocabulary({"tokens": dict.fromkeys(vectors.words, 1)})
    embedding = Embedding(16, vocab=vocab, pretrained_file=str(FILE))
    ids = torch.tensor([vocab.get_token_index(word) for word in vectors.words])
    assert torch.equal(vectors.embed([vectors.words])[0], embedding(ids))


def test_word_without_a_vector(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("the 1 2\nOslo 3 4\n")
    vectors = read_static_vectors(str(tmp_path / "v.txt"))
    assert vectors.embed([]).shape == (0, 0, 2)
    batch = vectors.embed([["The", "oslo", "Oslo"], ["the"]])
    assert batch.tolist() == [[[1, 2], [0, 0], [3, 4]], [[1, 2], [0, 0], [0, 0]]]


def test_header_and_word_with_spaces(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("2 3\nthe 1 2 3\n. . . 4 5 6\n")
    vectors = read_static_vectors(str(tmp_path / "v.txt"))
    assert vectors.words == ["the", ". . ."]
    assert vectors.vectors.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a 1 2\nb 1\n", "line 2: expected 2 dimensions, found 1"),
        ("a 1 2\nb 1 2 3\n", "line 2: expected 2 dimensions, found more"),
        ("a 1 2\n. . 1 2 3\n", "line 2: expected 2 dimensions, found more"),
        ("a 1 2\n\n", "line 2: expected 2 dimensions, found 0"),
        ("a 1 2\nb 1 x\n", "line 2: expected a word and its vector"),
        ("a 1 2\nb 1 nan\nc 1 inf\n", "line 2: expected finite numbers"),
        ("2 2\na 1 2\nb 1 1e39\n", "line 3: expected finite numbers"),
        ("2 2\n", ": expected a word and its vector per line, found none"),
        (
            "3 2\na 1 2\nb 1 2\n",
            ": expected 3 vectors of 2 dimensions, as line 1 says, found 2 of 2",
        ),
        ("1 3\na 1 2\n", ": expected 1 vectors of 3 dimensions, as line 1 says, found 1 of 2"),
        ("one two\n", "line 1: expected a word and its vector"),
        ("one\n", "line 1: expected 1 dimensions, found 0"),
        ("", ": expected text, found no words"),
    ],
)
def test_invalid_lines_are_named(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "v.txt"
    file.write_text(content)
    with pytest.raises(ValueError, match=f"{re.escape(str(file))}(, )?{problem}"):
        read_static_vectors(str(file))


def test_byte_order_mark_is_removed(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(b"\xef\xbb\xbfa 1 2\n")
    assert read_static_vectors(str(tmp_path / "v.txt")).words == ["a"]
    (tmp_path / "v.txt").write_bytes(b"\xef\xbb\xbf1 2\na 1 2\n")
    assert read_static_vectors(str(tmp_path / "v.txt")).words == ["a"]
