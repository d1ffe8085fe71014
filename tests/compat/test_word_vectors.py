"""The `pretrained_file` of an embedding: errors of one line that name file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders import Embedding

from elmo_plugin.compat.command import running_command

MARK = b"\xef\xbb\xbf"


def embed(file: Path, words: list[str], dim: int = 2) -> dict[str, list[float]]:
    vocabulary = Vocabulary({"tokens": dict.fromkeys(words, 1)})
    embedding = Embedding(dim, vocab=vocabulary, pretrained_file=str(file))
    ids = torch.tensor([vocabulary.get_token_index(word) for word in words])
    return dict(zip(words, embedding(ids).tolist()))


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("v.txt", b"", ": expected a word and its vector per line, found none"),
        ("v.txt", b"Oslo 1 2\nsea 1 x\n", ", line 2: expected a word and its vector, found: .*'x'"),
        ("v.txt", b"Oslo 1 2\nsea nan 2\n", ", line 2: expected finite numbers, found NaN"),
        ("v.txt", b"2 2\nOslo 1 2\nsea 1 1e39\n", ", line 3: expected finite numbers"),
        ("v.txt", b"Oslo 1 2\nsea 1\n", ", line 2: expected 2 dimensions, found 1"),
        ("v.txt", b"Oslo 1 2\nsea 1 2 3\n", ", line 2: expected 2 dimensions, found more"),
        ("v.txt", b"Bergen 1 2\n", ": expected vectors of words of the vocabulary, found none"),
        ("v.txt", b"Oslo 1 2\n\xe9 1 2\n", ", near line 1: expected UTF-8 text"),
        ("v.txt.gz", b"Oslo 1 2\nsea 1 2\n", ", near line 1: expected UTF-8 text.* compressed as"),
        (
            "v.txt.gz",
            gzip.compress(b"Oslo 1 2\n", mtime=0)[:-4],
            ", near line 1: expected UTF-8 text",
        ),
        ("v.txt.xz", b"Oslo 1 2\nsea 1 2\n", ", near line 1: expected UTF-8 text"),
    ],
)
def test_damaged_files(name: str, content: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with running_command(), pytest.raises(ConfigurationError, match=f"^{file}{problem}") as raised:
        embed(file, ["Oslo", "sea"])
    assert "\n" not in str(raised.value)


def test_missing_file(tmp_path: Path) -> None:
    message = f"^{tmp_path / 'v.txt'}: expected a file of word vectors, found none$"
    with running_command(), pytest.raises(ConfigurationError, match=message):
        embed(tmp_path / "v.txt", ["Oslo"])


def test_words_with_spaces_do_not_take_the_vector_of_their_first_part(tmp_path: Path) -> None:
    """Published files have such words."""
    file = tmp_path / "v.txt"
    file.write_text(". . . 5 6\n. 1 2\n")
    with running_command():
        assert embed(file, ["."]) == {".": [1, 2]}


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    vectors = {"Oslo": [1.0, 2.0], "sea": [3.0, 4.0]}
    for start in (b"", b"2 2\n"):
        (tmp_path / "v.txt").write_bytes(MARK + start + b"Oslo 1 2\nsea 3 4\n")
        (tmp_path / "v.txt.gz").write_bytes(gzip.compress((tmp_path / "v.txt").read_bytes()))
        for name in ("v.txt", "v.txt.gz"):
            assert embed(tmp_path / name, list(vectors)) == vectors
            words = Vocabulary(
                {"tokens": {"Oslo": 1}},
                pretrained_files={"tokens": str(tmp_path / name)},
                only_include_pretrained_words=True,
            )
            assert "Oslo" in words.get_token_to_index_vocabulary()
