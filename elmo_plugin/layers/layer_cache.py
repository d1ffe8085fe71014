"""Layers of the sentences seen so far, for as long as the biLM's weights stay as they are."""

from __future__ import annotations

from collections import ChainMap
from typing import Any

import torch

from elmo_plugin.layers.bilm import Bilm, BilmOutput
from elmo_plugin.layers.characters import check_ids
from elmo_plugin.layers.sentence_layers import join_sentences, sentence_keys, split_sentences
from elmo_plugin.layers.signature import Signature


class LayerCache:
    """
    Remembers, in main memory, what a frozen biLM gave for each sentence, so that over many epochs
    it reads each once. Any change of the weights empties it. A copy starts empty.

    # Parameters

    max_bytes : `int`, optional (default = `2**30`)
        A token takes 4 bytes for each dimension of each layer: 3 KB of the built-in biLM, 12 KB of
        the published one. What comes when all is taken is computed each time: forgetting older
        sentences for it would, in an epoch's order, forget each before it comes again.
    """

    def __init__(self, max_bytes: int = 2**30) -> None:
        self.max_bytes = max_bytes
        self.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return LayerCache, (self.max_bytes,)

    def clear(self) -> None:
        """Forget every sentence."""
        self._signature = Signature()
        self._sentences: dict[bytes, torch.Tensor] = {}
        self._bytes = 0

    def run(self, bilm: Bilm, character_ids: torch.Tensor) -> BilmOutput:
        """`bilm(character_ids)`, remembered where a sentence's layers depend on it alone."""
        if bilm.initial_state == "carried" or any(p.is_inference() for p in bilm.parameters()):
            return bilm(character_ids)
        if any(p.requires_grad for p in bilm.parameters()):
            self.clear()  # some optimizers change weights where PyTorch does not count it
            return bilm(character_ids)
        # What is remembered must serve in any later mode, an autograd graph included.
        with torch.inference_mode(False), torch.no_grad():
            if not self._signature.fits(bilm):
                self.clear()
                self._signature = Signature(bilm)
            return self._look_up(bilm, character_ids.clone())

    def _look_up(self, bilm: Bilm, character_ids: torch.Tensor) -> BilmOutput:
        mask = check_ids(character_ids, bilm.config.max_characters)
        keys = sentence_keys(character_ids, mask)
        rows = {key: row for row, key in enumerate(keys) if key not in self._sentences}
        new: dict[bytes, torch.Tensor] = {}
        if rows:
            longest = int(mask[list(rows.values())].sum(1).max())
            output = bilm(character_ids[list(rows.values()), :longest])
            new = dict(zip(rows, split_sentences(output)))
        known = ChainMap(new, self._sentences)
        sentences = [known[key] for key in keys]
        self._remember(new)
        return join_sentences(sentences, mask, bilm.mixture_size, bilm.output_dim)

    def _remember(self, new: dict[bytes, torch.Tensor]) -> None:
        size = sum(layers.nbytes for layers in new.values())
        if self._bytes + size <= self.max_bytes:
            self._sentences.update(new)
            self._bytes += size
