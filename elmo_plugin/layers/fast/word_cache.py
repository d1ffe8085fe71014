"""Caches the vectors of words while the encoder's weights do not change."""

from __future__ import annotations

from itertools import islice
from typing import Any

import torch

from elmo_plugin.layers.fast.cacheable import is_cacheable
from elmo_plugin.layers.fast.row_bytes import row_bytes
from elmo_plugin.layers.fast.weights_fingerprint import WeightsFingerprint, weights_of
from elmo_plugin.layers.fast.word_blocks import encode_in_blocks


class WordCache:
    """
    Caches the vector that a frozen encoder gives each word. A word's vector depends on its
    characters alone and is bit-identical in every batch, so this changes speed and nothing else.
    Changed weights empty the cache, see `WeightsFingerprint`. A copy starts empty. With hooks
    or modules of other packages (see `is_cacheable`), nothing is cached.

    Threads may share it, and a process may fork at any time: it holds no lock, and each lookup
    reads and extends the dictionary that was current when it began.

    # Parameters

    max_words : `int`, optional (default = `100_000`)
        Maximum number of words; later ones are encoded each time.
    """

    def __init__(self, max_words: int = 100_000) -> None:
        self.max_words = max_words
        self.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return WordCache, (self.max_words,)

    def __len__(self) -> int:
        return len(self._current[1])

    def clear(self) -> None:
        """Remove every word."""
        # One object, so that weights and vectors always belong together.
        self._current: tuple[WeightsFingerprint, dict[bytes, torch.Tensor]] = (
            WeightsFingerprint(),
            {},
        )

    def encode(self, encoder: torch.nn.Module, words: torch.Tensor) -> torch.Tensor:
        """Compute `encoder(words)`. Shape (words, characters) to (words, dim)."""
        if len(words) == 0:
            return encoder(words)
        # Weights created in inference mode do not count their changes.
        if not is_cacheable(encoder) or any(p.is_inference() for p in encoder.parameters()):
            return encode_in_blocks(encoder, words)
        # Cached vectors must serve in any later mode, in an autograd graph too.
        with torch.inference_mode(False), torch.no_grad():
            fingerprint, vectors = self._current
            if not fingerprint.matches(weights_of(encoder)):
                vectors = {}
                self._current = (WeightsFingerprint(weights_of(encoder)), vectors)
            return self._look_up(encoder, words.clone(), vectors)

    def _look_up(
        self, encoder: torch.nn.Module, words: torch.Tensor, vectors: dict[bytes, torch.Tensor]
    ) -> torch.Tensor:
        keys = row_bytes(words)
        known = {key: vectors[key] for key in keys if key in vectors}
        # The row of each new word; a word may come twice.
        rows = {key: row for row, key in enumerate(keys) if key not in known}
        if rows:
            new = dict(zip(rows, encode_in_blocks(encoder, words[list(rows.values())])))
            known.update(new)
            vectors.update(islice(new.items(), max(0, self.max_words - len(vectors))))
        return torch.stack([known[key] for key in keys])
