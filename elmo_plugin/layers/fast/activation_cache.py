"""Layers of the sentences seen so far, for as long as the biLM's weights stay as they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from elmo_plugin.layers.bilm import Bilm, BilmOutput, InitialState
from elmo_plugin.layers.char_ids import check_ids
from elmo_plugin.layers.fast.sentence_activations import (
    join_activations,
    sentence_keys,
    split_activations,
)
from elmo_plugin.layers.fast.weights_fingerprint import WeightsFingerprint

# Copies of the longest sentence beside the new ones: the recurrence then never runs on so few rows
# that its matrix products round otherwise than those of larger batches.
_COMPANY = 4


class _Contents(NamedTuple):
    """Sentences, and what their layers depend on beside their characters."""

    signature: WeightsFingerprint
    initial_state: InitialState
    sentences: dict[bytes, torch.Tensor]


class ActivationCache:
    """
    Remembers, in main memory, what a frozen biLM gave for each sentence, so that over many epochs
    it reads each once. A change of the weights (see `WeightsFingerprint`) or of `initial_state`
    empties it. A copy starts empty.

    Threads may share it, and a process may fork at any time: it holds no lock, and each lookup
    reads and extends the dictionary that was current when it began.

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
        return ActivationCache, (self.max_bytes,)

    def clear(self) -> None:
        """Forget every sentence."""
        self._renew(WeightsFingerprint(), "zero")

    def run(self, bilm: Bilm, character_ids: torch.Tensor) -> BilmOutput:
        """`bilm(character_ids)`, remembered where a sentence's layers depend on it alone."""
        if bilm.initial_state == "carried" or any(p.is_inference() for p in bilm.parameters()):
            return bilm(character_ids)
        if any(p.requires_grad for p in bilm.parameters()):
            self.clear()  # some optimizers change weights where PyTorch does not count it
            return bilm(character_ids)
        # What is remembered must serve in any later mode, an autograd graph included.
        with torch.inference_mode(False), torch.no_grad():
            contents = self._contents
            if contents.initial_state != bilm.initial_state or not contents.signature.fits(bilm):
                contents = self._renew(WeightsFingerprint(bilm), bilm.initial_state)
            return self._look_up(bilm, character_ids.clone(), contents.sentences)

    def _renew(self, signature: WeightsFingerprint, initial_state: InitialState) -> _Contents:
        # One object, so that weights and layers always belong together.
        self._contents = _Contents(signature, initial_state, {})
        self._bytes = 0
        return self._contents

    def _look_up(
        self, bilm: Bilm, character_ids: torch.Tensor, sentences: dict[bytes, torch.Tensor]
    ) -> BilmOutput:
        mask = check_ids(character_ids, bilm.config.max_characters)
        keys = sentence_keys(character_ids, mask)
        known = {key: sentences[key] for key in keys if key in sentences}
        rows = {key: row for row, key in enumerate(keys) if key not in known}
        if rows:
            new = dict(zip(rows, _read(bilm, character_ids, mask, list(rows.values()))))
            known.update(new)
            self._remember(new, sentences)
        layers = [known[key] for key in keys]
        return join_activations(layers, mask, bilm.mixture_size, bilm.output_dim)

    def _remember(
        self, new: dict[bytes, torch.Tensor], sentences: dict[bytes, torch.Tensor]
    ) -> None:
        size = sum(layers.nbytes for layers in new.values())
        if self._bytes + size <= self.max_bytes:
            sentences.update(new)
            self._bytes += size


def _read(
    bilm: Bilm, character_ids: torch.Tensor, mask: torch.Tensor, rows: list[int]
) -> list[torch.Tensor]:
    """Layers of the sentences in these rows, as `split_activations` returns them."""
    lengths = mask.sum(1)[rows]
    company = [rows[int(lengths.argmax())]] * _COMPANY
    output = bilm(character_ids[rows + company, : int(lengths.max())])
    count = len(rows)
    return split_activations(BilmOutput(output.layers[:, :count], output.mask[:count]))
