"""Words whose vectors are cached before the first batch."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.char_ids import batch_to_ids


class WordsToCache:
    """
    Encodes words together before a frozen biLM's first batch. This cannot be done in a model's
    constructor, since loading weights or moving to a GPU later empties the cache.

    # Parameters

    words : `Sequence[str]` or `None`
    """

    def __init__(self, words: Sequence[str] | None) -> None:
        self._words = list(words or ())

    def encode(self, bilm: Bilm, device: torch.device) -> None:
        """Cache the words' vectors; do nothing in later calls."""
        words, self._words = self._words, []
        if words:
            bilm.encode_words(batch_to_ids([words], bilm.config.max_characters)[0].to(device))
