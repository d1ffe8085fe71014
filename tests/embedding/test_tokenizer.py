"""The documented rule by which raw text is tokenized."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from elmo_plugin.embedding.tokenizer import tokenize

CONTRACTIONS = [
    "I do n't know .",
    "They could n't , but she 's here .",
    "We 're , you 've , he 'd , it 'll .",
]


@given(st.text())
def test_tokens_are_the_text_without_white_space(text: str) -> None:
    assert "".join(tokenize(text)) == "".join(text.split())


@given(st.text(st.characters(whitelist_categories=["L", "Mn", "Mc"]), min_size=1))
@example("A\U000e0100")
def test_letters_and_their_marks_are_one_token(word: str) -> None:
    assert tokenize(word) == [word]


@given(st.text(st.characters(whitelist_categories=["P", "S"], blacklist_characters="._-'\u2019")))
def test_signs_are_tokens_of_their_own(signs: str) -> None:
    tokens = tokenize("".join(f"a{sign}b " for sign in signs))
    assert tokens == [token for sign in signs for token in ("a", sign, "b")]


@pytest.mark.parametrize("expected", CONTRACTIONS)
def test_contractions_are_split_as_in_the_penn_treebank(expected: str) -> None:
    text = expected.replace(" n't", "n't").replace(" '", "'").replace(" ,", ",").replace(" .", ".")
    assert tokenize(text) == TreebankWordTokenizer().tokenize(text) == expected.split()
    curly = text.replace("'", "\u2019")
    assert tokenize(curly) == expected.replace("'", "\u2019").split()


@pytest.mark.parametrize("token", ["1,000.5", "12:30", "U.S.", "e.g.", "Mr.", "...", "--", "!!"])
def test_documented_tokens_stay_whole(token: str) -> None:
    assert tokenize(f"a {token} b") == ["a", token, "b"]


def test_normal_forms_give_the_same_words() -> None:
    text = "Ceci n'est pas déjà vu."
    decomposed = tokenize(unicodedata.normalize("NFD", text))
    assert [unicodedata.normalize("NFC", token) for token in decomposed] == tokenize(text)
