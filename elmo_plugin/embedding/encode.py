"""Runs a biLM over sentences of any lengths."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from elmo_plugin.embedding.batches import batches_by_length
from elmo_plugin.embedding.selection import Select
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.bilm_output import BilmOutput


@torch.no_grad()
def encode(
    bilm: Bilm, character_ids: Sequence[torch.Tensor], select: Select, batch_size: int
) -> list[torch.Tensor]:
    """
    # Parameters

    bilm : `Bilm`
    character_ids : `Sequence[torch.Tensor]`
        One per sentence, of shape (tokens, characters).
    select : `Callable`
        See `layer_selection`.
    batch_size : `int`
        Sentences at once; fewer where they are long.

    # Returns

    `List[torch.Tensor]` : in the order of the sentences, on the CPU. Shape (tokens, ..., dim).
    """
    lengths = [len(ids) for ids in character_ids]
    found: dict[int, torch.Tensor] = {}
    for batch in batches_by_length(lengths, batch_size):
        ids = torch.nn.utils.rnn.pad_sequence([character_ids[i] for i in batch], batch_first=True)
        # Shape: (words of all sentences, ..., dim)
        words = select(bilm(ids.to(bilm.boundaries.device))).float().cpu()
        found.update(zip(batch, words.split([lengths[i] for i in batch])))
    empty = _empty(bilm, select)
    return [found.get(i, empty) for i in range(len(lengths))]


def _empty(bilm: Bilm, select: Select) -> torch.Tensor:
    """Vectors of no words."""
    layers = bilm.boundaries.new_zeros(bilm.mixture_size, 1, 1, bilm.output_dim).float()
    mask = bilm.boundaries.new_zeros(1, 1).bool()
    return select(BilmOutput(layers, mask)).cpu()
