"""The character CNN as sums of table rows: each character has few embeddings, so that the product
of every embedding with every filter is computed once, not at every place of every word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import torch

from elmo_plugin.layers.fast.kernels.char_cnn import lookup_max, lookup_max_backward
from elmo_plugin.layers.fast.threads import run_parts

# Filters of one part of the work: parts of like size keep all threads busy.
_FILTERS_AT_ONCE = 256


def convolve_and_max(
    words: torch.Tensor,
    lengths: torch.Tensor,
    embedding: torch.Tensor,
    convolutions: Sequence[torch.nn.Conv1d],
) -> torch.Tensor:
    """
    The maximum over positions of each filter of character convolutions.

    # Parameters

    words : `torch.Tensor`
        Character ids. Shape (words, characters).
    lengths : `torch.Tensor`
        Characters of each word without padding. Shape (words,).
    embedding : `torch.Tensor`
        Shape (number of characters, character_dim).
    convolutions : `Sequence[torch.nn.Conv1d]`

    # Returns

    `torch.Tensor` : Shape (words, filters of all convolutions).
    """
    with torch.autocast("cpu", enabled=False):  # so few products are not worth the error
        # Shape: (width, number of characters, filters)
        tables = [embedding @ c.weight.permute(2, 1, 0) for c in convolutions]
    parts = [part for table in tables for part in table.split(_FILTERS_AT_ONCE, dim=2)]
    ids = words.to(torch.int32).contiguous().numpy()
    maxima = torch.cat(_LookupMax.apply(ids, lengths.numpy(), *parts), dim=-1)
    return maxima + torch.cat([c.bias for c in convolutions])


class _LookupMax(torch.autograd.Function):
    """`lookup_max` of each table, in threads."""

    @staticmethod
    def forward(
        ctx: Any, words: numpy.ndarray, lengths: numpy.ndarray, *tables: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        def look_up(table: torch.Tensor) -> tuple[torch.Tensor, numpy.ndarray]:
            best = torch.empty(len(words), table.size(2))
            where = numpy.zeros(best.shape, numpy.int16)
            lookup_max(table.contiguous().numpy(), words, lengths, best.numpy(), where)
            return best, where

        found = run_parts(look_up, tables)
        ctx.words, ctx.where = words, [where for _, where in found]
        ctx.shapes = [table.shape for table in tables]
        return tuple(best for best, _ in found)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[Any, ...]:
        def add_up(part: tuple[torch.Tensor, numpy.ndarray, torch.Size]) -> torch.Tensor:
            grad, where, shape = part
            table = torch.zeros(shape)
            lookup_max_backward(grad.contiguous().numpy(), ctx.words, where, table.numpy())
            return table

        return None, None, *run_parts(add_up, list(zip(grads, ctx.where, ctx.shapes)))
