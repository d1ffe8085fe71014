"""Words whose vectors are cached before the first batch."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.char_ids import batch_to_ids


class WordsToCache:
    """
    Encodes words of a frozen biLM together, once: when its first batch comes, as loading weights
    and moving to a GPU come after the constructor of a model and empty the cache.

    # Parameters

    words : `Sequence[str]` or `None`
    """

    def __init__(self, words: Sequence[str] | None) -> None:
        self._words = list(words or ())

    def encode(self, bilm: Bilm, device: torch.device) -> None:
        """Cache the words' vectors at the first call."""
        words, self._words = self._words, []
        if words:
            bilm.encode_words(batch_to_ids([words], bilm.config.max_characters)[0].to(device))
