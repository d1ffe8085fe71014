from __future__ import annotations

import torch
from allennlp.data.token_indexers.elmo_indexer import ELMoCharacterMapper
from allennlp.modules.elmo import batch_to_ids as allennlp_batch_to_ids

from elmo_plugin.layers import batch_to_ids, word_to_ids
from elmo_plugin.layers.characters import NUM_CHARACTERS, PADDING_ID
from tests.random_bilm import SENTENCES

# Code points from everywhere in Unicode, surrogates included.
WORDS = [chr(code) for code in range(0, 0x110000, 97)]


def test_words_as_in_allennlp() -> None:
    words = [*WORDS, *(w * 30 for w in WORDS[::100]), *(w for s in SENTENCES for w in s)]
    mapper = ELMoCharacterMapper()
    for word in words:
        assert word_to_ids(word) == mapper.convert_word_to_char_ids(word), repr(word)


def test_batches_as_in_allennlp() -> None:
    assert torch.equal(batch_to_ids(SENTENCES), allennlp_batch_to_ids(SENTENCES))


def test_batches_of_nothing() -> None:
    assert batch_to_ids([]).shape == (0, 0, 50)
    assert batch_to_ids([[], []]).shape == (2, 0, 50)
    assert not batch_to_ids([[], ["a"]])[0].any()


def test_any_width() -> None:
    for width in (3, 4, 10, 50):
        for word in ("", "a", "ab", "abc", "x" * 100, "<S>"):
            ids = word_to_ids(word, width)
            assert len(ids) == width
            assert all(1 <= i < NUM_CHARACTERS for i in ids)
            kept = len(ids) - ids.count(PADDING_ID)
            # A narrower word is the wider one with its end cut off.
            assert ids[: kept - 1] == word_to_ids(word)[: kept - 1]
