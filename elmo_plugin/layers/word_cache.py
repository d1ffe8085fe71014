"""Vectors of the words seen so far, for as long as the encoder's weights stay as they are."""

from __future__ import annotations

import threading
from typing import Any

import torch

from elmo_plugin.layers.signature import Signature


class WordCache:
    """
    Remembers what an encoder of single words gave for each word. A word's vector depends on its
    characters alone, so this changes speed and nothing else. Any change of the weights (loading,
    a move to another device or type) empties it. A copy starts empty.

    # Parameters

    max_words : `int`, optional (default = `100_000`)
        Words remembered; later ones are encoded each time.
    """

    def __init__(self, max_words: int = 100_000) -> None:
        self.max_words = max_words
        self._lock = threading.Lock()
        self.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return WordCache, (self.max_words,)

    def clear(self) -> None:
        """Forget every word."""
        self._signature = Signature()
        self._rows: dict[bytes, int] = {}
        self._vectors = torch.empty(0)

    def encode(self, encoder: torch.nn.Module, words: torch.Tensor) -> torch.Tensor:
        """`encoder(words)`, remembered. Shape (words, characters) to (words, dim)."""
        if len(words) == 0 or any(p.is_inference() for p in encoder.parameters()):
            return encoder(words)  # weights of inference mode do not say when they change
        # What is remembered must serve in any later mode, an autograd graph included.
        with self._lock, torch.inference_mode(False), torch.no_grad():
            if not self._signature.fits(encoder):
                self.clear()
                self._signature = Signature(encoder)
            return self._look_up(encoder, words.clone())

    def _look_up(self, encoder: torch.nn.Module, words: torch.Tensor) -> torch.Tensor:
        keys = [row.tobytes() for row in words.to("cpu", torch.int16).numpy()]
        known = torch.tensor([self._rows.get(key, -1) for key in keys], device=words.device)
        new = (known < 0).nonzero().squeeze(-1)
        if len(new) == 0:
            return self._vectors[known]
        encoded = encoder(words[new])
        vectors = encoded.new_empty(len(words), encoded.size(-1))
        vectors[new] = encoded
        if len(new) < len(words):
            old = (known >= 0).nonzero().squeeze(-1)
            vectors[old] = self._vectors[known[old]]
        self._remember([keys[i] for i in new.tolist()], encoded)
        return vectors

    def _remember(self, keys: list[bytes], encoded: torch.Tensor) -> None:
        place = {key: i for i, key in enumerate(keys)}  # a word may come twice
        keys = list(place)[: self.max_words - len(self._rows)]
        encoded = encoded[[place[key] for key in keys]]
        start, end = len(self._rows), len(self._rows) + len(keys)
        if end > len(self._vectors):
            grown = encoded.new_empty(min(self.max_words, max(1024, 2 * end)), encoded.size(-1))
            grown[:start] = self._vectors[:start] if start else grown[:0]
            self._vectors = grown
        self._vectors[start:end] = encoded
        self._rows.update(zip(keys, range(start, end)))
