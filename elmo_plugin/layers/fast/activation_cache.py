"""Caches the layers of sentences while the biLM's weights do not change."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from elmo_plugin.layers.bilm_output import BilmOutput
from elmo_plugin.layers.char_ids import check_ids
from elmo_plugin.layers.fast.cacheable import is_cacheable
from elmo_plugin.layers.fast.sentence_activations import (
    join_activations,
    sentence_keys,
    split_activations,
)
from elmo_plugin.layers.fast.weights_fingerprint import WeightsFingerprint, weights_of

if TYPE_CHECKING:
    from elmo_plugin.layers.bilm import Bilm
    from elmo_plugin.layers.initial_state import InitialState

# Copies of the longest sentence that are added to the new ones: with very few rows, the matrix
# products of the recurrence would round differently than in larger batches.
_EXTRA_ROWS = 4

# Sentences that `fill` computes at once.
_FILL_ROWS = 128


class _Contents(NamedTuple):
    """Layers by sentence, and what they depend on beside the sentence's characters."""

    fingerprint: WeightsFingerprint
    initial_state: InitialState
    sentences: dict[bytes, torch.Tensor]


class ActivationCache:
    """
    Caches a frozen biLM's layers of each sentence in main memory, so that it reads each sentence
    once in many epochs. A change of the weights (see `WeightsFingerprint`) or of `initial_state`
    empties the cache. A copy starts empty. With hooks or modules of other packages (see
    `is_cacheable`), nothing is cached.

    Threads may share it, and a process may fork at any time: it holds no lock, and each lookup
    reads and extends the dictionary that was current when it began.

    # Parameters

    max_bytes : `int`, optional (default = `2**30`)
        A token takes 4 bytes per dimension and layer: 6 KB with the built-in biLM, 12 KB with the
        published one. When the cache is full, other sentences are computed each time: replacing
        older ones would, over an epoch, remove each before it is needed again.
    """

    def __init__(self, max_bytes: int = 2**30) -> None:
        self.max_bytes = max_bytes
        self.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return ActivationCache, (self.max_bytes,)

    def clear(self) -> None:
        """Remove every sentence."""
        self._renew(WeightsFingerprint(), "zero")

    def run(self, bilm: Bilm, character_ids: torch.Tensor) -> BilmOutput:
        """Compute `bilm(character_ids)`, cached where a sentence's layers depend on it alone."""
        if not self._can_cache(bilm):
            return bilm(character_ids)
        # Cached layers must serve in any later mode, in an autograd graph too.
        with torch.inference_mode(False), torch.no_grad():
            return self._look_up(bilm, character_ids.clone(), self._sentences(bilm))

    def fill(self, bilm: Bilm, batches: Iterable[torch.Tensor]) -> None:
        """
        Compute the layers of the sentences of several batches together, sorted by length, for later
        calls of `run`. Does nothing if the cache has no room for all of them.

        # Parameters

        bilm : `Bilm`
        batches : `Iterable[torch.Tensor]`
            Each of shape (batch, tokens, characters).
        """
        if not self._can_cache(bilm):
            return
        with torch.inference_mode(False), torch.no_grad():
            sentences = self._sentences(bilm)
            new = _new_sentences(batches, bilm.config.max_characters, sentences)
            tokens = sum(map(len, new.values()))
            if not self._has_room(bilm, tokens):
                return
            keys = sorted(new, key=lambda key: len(new[key]))
            for start in range(0, len(keys), _FILL_ROWS):
                part = keys[start : start + _FILL_ROWS]
                ids = torch.nn.utils.rnn.pad_sequence([new[key] for key in part], batch_first=True)
                layers = _run(bilm, ids, (ids > 0).any(-1), list(range(len(part))))
                self._add(dict(zip(part, layers)), sentences)

    def _can_cache(self, bilm: Bilm) -> bool:
        if bilm.initial_state == "carried" or any(p.is_inference() for p in bilm.parameters()):
            return False
        if not is_cacheable(bilm):
            return False
        if getattr(bilm, "_is_replica", False):  # of `DataParallel`, which has no parameters
            return False
        if any(p.requires_grad for p in bilm.parameters()):
            self.clear()  # some optimizers change weights without PyTorch counting it
            return False
        # In training, dropout or a lower precision may apply.
        return not (bilm.training and (bilm.lstm.dropout.p or bilm.token_encoder.lowers_precision))

    def _sentences(self, bilm: Bilm) -> dict[bytes, torch.Tensor]:
        """Return the cached layers of this biLM as it is now."""
        contents = self._contents
        same_state = contents.initial_state == bilm.initial_state
        if not (same_state and contents.fingerprint.matches(weights_of(bilm))):
            contents = self._renew(WeightsFingerprint(weights_of(bilm)), bilm.initial_state)
        return contents.sentences

    def _renew(self, fingerprint: WeightsFingerprint, initial_state: InitialState) -> _Contents:
        # One object, so that weights and layers always belong together.
        self._contents = _Contents(fingerprint, initial_state, {})
        self._bytes = 0
        return self._contents

    def _look_up(
        self, bilm: Bilm, character_ids: torch.Tensor, sentences: dict[bytes, torch.Tensor]
    ) -> BilmOutput:
        mask = check_ids(character_ids, bilm.config.max_characters)
        keys = sentence_keys(character_ids, mask)
        known = {key: sentences[key] for key in keys if key in sentences}
        rows = {key: row for row, key in enumerate(keys) if key not in known}
        if not known and not self._has_room(bilm, int(mask.sum(1)[list(rows.values())].sum())):
            return bilm(character_ids)
        if rows:
            new = dict(zip(rows, _run(bilm, character_ids, mask, list(rows.values()))))
            known.update(new)
            self._add(new, sentences)
        layers = [known[key] for key in keys]
        return join_activations(layers, mask, bilm.mixture_size, bilm.output_dim)

    def _has_room(self, bilm: Bilm, tokens: int) -> bool:
        return self._bytes + 4 * tokens * bilm.mixture_size * bilm.output_dim <= self.max_bytes

    def _add(self, new: dict[bytes, torch.Tensor], sentences: dict[bytes, torch.Tensor]) -> None:
        size = sum(layers.nbytes for layers in new.values())
        if self._bytes + size <= self.max_bytes:
            sentences.update(new)
            if sentences is self._contents.sentences:  # another thread may have renewed them
                self._bytes += size


def _new_sentences(
    batches: Iterable[torch.Tensor], max_characters: int, known: Container[bytes]
) -> dict[bytes, torch.Tensor]:
    """Return the character ids of the sentences that are not cached, by key."""
    new: dict[bytes, torch.Tensor] = {}
    for character_ids in batches:
        mask = check_ids(character_ids, max_characters)
        lengths = mask.sum(1).tolist()
        for ids, length, key in zip(character_ids, lengths, sentence_keys(character_ids, mask)):
            if length and key not in known:
                new.setdefault(key, ids[:length])
    return new


def _run(
    bilm: Bilm, character_ids: torch.Tensor, mask: torch.Tensor, rows: list[int]
) -> list[torch.Tensor]:
    """Return the layers of the sentences in these rows, see `split_activations`."""
    lengths = mask.sum(1)[rows]
    extra = [rows[int(lengths.argmax())]] * _EXTRA_ROWS
    output = bilm(character_ids[rows + extra, : int(lengths.max())])
    count = len(rows)
    return split_activations(BilmOutput(output.layers[:, :count], output.mask[:count]))
