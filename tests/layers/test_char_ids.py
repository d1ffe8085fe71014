from __future__ import annotations

import re
from typing import Any

import numpy
import pytest
import torch
from allennlp.data.token_indexers.elmo_indexer import ELMoCharacterMapper
from allennlp.modules.elmo import batch_to_ids as allennlp_batch_to_ids

from elmo_plugin.layers import batch_to_ids, word_to_ids
from elmo_plugin.layers.char_ids import NUM_CHARACTERS, PADDING_ID
from tests.helpers.random_bilm import SENTENCES

# Code points from everywhere in Unicode, surrogates included.
WORDS = [chr(code) for code in range(0, 0x110000, 97)]


def test_word_ids_equal_allennlp() -> None:
    words = [*WORDS, *(w * 30 for w in WORDS[::100]), *(w for s in SENTENCES for w in s)]
    mapper = ELMoCharacterMapper()
    for word in words:
        assert word_to_ids(word) == mapper.convert_word_to_char_ids(word), repr(word)


def test_batch_ids_equal_allennlp() -> None:
    assert torch.equal(batch_to_ids(SENTENCES), allennlp_batch_to_ids(SENTENCES))


def test_empty_batches() -> None:
    assert batch_to_ids([]).shape == (0, 0, 50)
    assert batch_to_ids([[], []]).shape == (2, 0, 50)
    assert not batch_to_ids([[], ["a"]])[0].any()


def test_any_max_characters() -> None:
    for width in (3, 4, 10, 50):
        for word in ("", "a", "ab", "abc", "x" * 100, "<S>"):
            ids = word_to_ids(word, width)
            assert len(ids) == width
            assert all(1 <= i < NUM_CHARACTERS for i in ids)
            kept = len(ids) - ids.count(PADDING_ID)
            # A narrower word is the wider one with its end cut off.
            assert ids[: kept - 1] == word_to_ids(word)[: kept - 1]


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        ("A sentence .", "sentences: expected a list of sentences, each a list of words, got 'A s"),
        (["A sentence ."], "sentences[0]: expected a list of words, got 'A sentence .' (str)"),
        ([["A"], "b"], "sentences[1]: expected a list of words, got 'b' (str)"),
        ([["A"], b"b"], "sentences[1]: expected a list of words, got b'b' (bytes)"),
        ([["A"], None], "sentences[1]: expected a list of words, got None (NoneType)"),
        ([["A"], (w for w in "b")], "sentences[1]: expected a list of words, got <generator"),
        (None, "sentences: expected a list of sentences, each a list of words, got None"),
        ([["A"], ["b", None]], "sentences[1][1]: expected a word (str), got None (NoneType)"),
        ([["A"], ["b", 3]], "sentences[1][1]: expected a word (str), got 3 (int)"),
        ([["A", b"b"]], "sentences[0][1]: expected a word (str), got b'b' (bytes)"),
        ([[["A"]]], "sentences[0][0]: expected a word (str), got ['A'] (list)"),
    ],
)
def test_other_than_lists_of_words_raise(sentences: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        batch_to_ids(sentences)


def test_other_sequences_of_words() -> None:
    words = ["The", "cat"]
    for sentence in (tuple(words), numpy.array(words), numpy.array(words, dtype=object)):
        assert torch.equal(batch_to_ids([sentence]), batch_to_ids([words]))
        assert torch.equal(batch_to_ids((sentence,)), batch_to_ids([words]))


@pytest.mark.parametrize("max_characters", [2, 0, -1, 1001, 10**9, "50", None, 50.0])
def test_max_characters_out_of_bounds_raises(max_characters: Any) -> None:
    with pytest.raises(ValueError, match="max_characters: expected from 3 to 1000, got"):
        batch_to_ids([["word"]], max_characters)
