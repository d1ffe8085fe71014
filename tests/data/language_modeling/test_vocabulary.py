from __future__ import annotations

import gzip
import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, BilmVocabulary

SPECIAL_TOKENS = ["<S>", "</S>", "<UNK>"]


def _words(vocabulary: Vocabulary) -> list[str]:
    words = vocabulary.get_index_to_token_vocabulary(NAMESPACE)
    assert sorted(words) == list(range(len(words)))
    return [words[i] for i in range(len(words))]


@pytest.fixture
def text(tmp_path: Path) -> str:
    """Counts: d 4, a and c 2, b, e and Z 1. Over two files, of which one is zipped."""
    (tmp_path / "1.txt").write_text("d c d\n\nb a d\n")
    (tmp_path / "2.gz").write_bytes(gzip.compress(b"c e a d Z\n"))
    return str(tmp_path / "[12].*")


def test_from_frequent_to_rare_and_ties_by_alphabet(text: str) -> None:
    assert _words(BilmVocabulary.from_text(text)) == [*SPECIAL_TOKENS, "d", "a", "c", "Z", "b", "e"]


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"max_size": 4}, ["d", "a", "c", "Z"]),
        ({"max_size": 2}, ["d", "a"]),
        ({"max_size": 100}, ["d", "a", "c", "Z", "b", "e"]),
        ({"min_count": 2}, ["d", "a", "c"]),
        ({"min_count": 2, "max_size": 2}, ["d", "a"]),
        ({"min_count": 4}, ["d"]),
    ],
)
def test_limits(text: str, limits: dict[str, int], kept: list[str]) -> None:
    assert _words(BilmVocabulary.from_text(text, **limits)) == SPECIAL_TOKENS + kept


def test_too_few_occurrences_raise(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"min_count: .* at least 5 times .* at most 4"):
        BilmVocabulary.from_text(text, min_count=5)


def test_order_over_much_text(tmp_path: Path) -> None:
    zipf = random.Random(0)
    words = [f"w{int(zipf.paretovariate(0.8)) % 300}" for _ in range(5000)]
    (tmp_path / "text").write_text("\n".join(" ".join(words[i::100]) for i in range(100)))
    found = _words(BilmVocabulary.from_text(str(tmp_path / "text")))[3:]
    counts = Counter(words)
    assert set(found) == set(counts)
    keys = [(-counts[word], word) for word in found]
    assert keys == sorted(keys)


def test_marks_in_the_text_are_the_marks(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("</S> <UNK> <UNK> <S> <S> <S> a a b\n")
    vocabulary = BilmVocabulary.from_text(str(tmp_path / "text"), max_size=2)
    assert _words(vocabulary) == [*SPECIAL_TOKENS, "a", "b"]


def test_built_by_configuration(text: str) -> None:
    params = Params({"type": "bilm_text", "path": text, "max_size": 1})
    assert _words(Vocabulary.from_params(params)) == [*SPECIAL_TOKENS, "d"]


LINES = ["@@NEWLINE@@", "a@@NEWLINE@@b", "\ufeff", "\u200b", "\x00", "e\u0301", "<UNK>x"]
WORDS = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda w: w.split() == [w])


@settings(deadline=None, max_examples=50)
@given(st.lists(WORDS | st.sampled_from(LINES), min_size=1, max_size=20))
@example([*LINES, "@@UNKNOWN@@", "@@PADDING@@", "#", "한국어", "🙂", "é"])
def test_written_and_read(words: list[str]) -> None:
    with TemporaryDirectory() as directory:
        text, files = Path(directory, "text"), Path(directory, "run", "vocabulary")
        # After a first word, as a mark at the very start of a file is none of its words.
        text.write_bytes(" ".join(["first", *words]).encode())
        vocabulary = BilmVocabulary.from_text(str(text))
        assert set(_words(vocabulary)) == {*SPECIAL_TOKENS, "first", *words}
        vocabulary.save_to_files(str(files))
        (files.parent / "config.json").touch()
        trained = str(files.parent)
        for read in (BilmVocabulary.from_files(files), BilmVocabulary.from_pretrained(trained)):
            assert _words(read) == _words(vocabulary)
            assert read._token_to_index == vocabulary._token_to_index


def test_written_and_read_by_allennlp(tmp_path: Path) -> None:
    words = ["한국어", "🙂", "é", "e\u0301", "@@UNKNOWN@@", "@@PADDING@@", "#", "\ufeff", "\u200b"]
    (tmp_path / "text").write_text(" ".join(words))
    vocabulary = BilmVocabulary.from_text(str(tmp_path / "text"))
    vocabulary.save_to_files(str(tmp_path / "files"))
    assert _words(Vocabulary.from_files(str(tmp_path / "files"))) == _words(vocabulary)


def test_a_byte_order_mark_is_no_word(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.txt").write_bytes(b"\xef\xbb\xbf<S>\r\n</S>\r\n<UNK>\r\nword\r\n")
    assert _words(BilmVocabulary.from_pretrained(str(tmp_path))) == [*SPECIAL_TOKENS, "word"]


def test_a_read_one_knows_its_unknown_word(text: str, tmp_path: Path) -> None:
    BilmVocabulary.from_text(text).save_to_files(str(tmp_path / "files"))
    vocabulary = BilmVocabulary.from_files(str(tmp_path / "files"))
    assert vocabulary.get_token_index("never seen", NAMESPACE) == 2
    assert vocabulary.get_token_index("d", NAMESPACE) == 3
