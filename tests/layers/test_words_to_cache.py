"""Words that are encoded before the first batch."""

from __future__ import annotations

import torch

from elmo_plugin.layers.words_to_cache import WordsToCache
from tests.helpers.random_bilm import random_bilm


def test_words_are_encoded_once() -> None:
    bilm = random_bilm().requires_grad_(False)
    cache = bilm._word_cache
    words = WordsToCache(["a", "b", "a"])
    words.encode(bilm, torch.device("cpu"))
    assert len(cache) == 2
    cache.clear()
    words.encode(bilm, torch.device("cpu"))
    assert len(cache) == 0


def test_no_words() -> None:
    bilm = random_bilm().requires_grad_(False)
    WordsToCache(None).encode(bilm, torch.device("cpu"))
    assert len(bilm._word_cache) == 0
