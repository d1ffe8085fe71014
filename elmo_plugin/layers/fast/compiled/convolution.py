"""The character CNN as sums of table rows: as there are few characters, the product of each one's
embedding with each filter is computed once, not at every position of every word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import torch

from elmo_plugin.layers.char_ids import PADDING_ID
from elmo_plugin.layers.fast.compiled.kernels.char_cnn import lookup_max, lookup_max_backward
from elmo_plugin.layers.fast.compiled.threads import run_parts
from elmo_plugin.layers.fast.weight_cache import cached_by_weights

# Filters of one part of the work: parts of like size keep all threads busy.
_FILTERS_AT_ONCE = 256


def convolve_and_max(
    words: torch.Tensor, embedding: torch.Tensor, convolutions: Sequence[torch.nn.Conv1d]
) -> torch.Tensor:
    """
    Apply character convolutions and take the maximum over positions.

    # Parameters

    words : `torch.Tensor`
        Character ids. Shape (words, characters).
    embedding : `torch.Tensor`
        Shape (number of characters, character_dim).
    convolutions : `Sequence[torch.nn.Conv1d]`

    # Returns

    `torch.Tensor` : Shape (words, filters of all convolutions).

    # Raises

    `ValueError` : ids outside of the table, or fewer per word than a convolution is wide.
    """
    _check_ids(words, len(embedding), max(c.kernel_size[0] for c in convolutions))
    weights = [c.weight for c in convolutions]
    if torch.is_grad_enabled() and any(w.requires_grad for w in (embedding, *weights)):
        parts = _tables(embedding, *weights)
    else:
        parts = _frozen_tables(embedding, *weights)
    positions = torch.arange(1, words.size(1) + 1, device=words.device)
    lengths = ((words != PADDING_ID) * positions).amax(1)
    # A copy, which the caller cannot change before the backward pass.
    ids = words.to(torch.int32, copy=True).contiguous().numpy()
    maxima = torch.cat(_LookupMax.apply(ids, lengths.numpy(), *parts), dim=-1)
    return maxima + torch.cat([c.bias for c in convolutions if c.bias is not None])


def _check_ids(words: torch.Tensor, number: int, width: int) -> None:
    """Compiled loops do not check what they read."""
    if words.size(1) < width:
        raise ValueError(f"character ids: expected at least {width} per word, got {words.size(1)}")
    if words.numel():
        low, high = map(int, words.aminmax())
        if low < 0 or high >= number:
            raise ValueError(f"character ids: expected 0 to {number - 1}, got {low} to {high}")


def _tables(embedding: torch.Tensor, *weights: torch.Tensor) -> list[torch.Tensor]:
    """Return the products of all characters, each of shape (width, characters, filters)."""
    # Row 0, for positions outside of a sentence, gets no gradient (`padding_idx`).
    embedding = torch.cat([embedding[:1].detach(), embedding[1:]])
    with torch.autocast("cpu", enabled=False):  # so few products do not justify a lower precision
        tables = [embedding @ weight.permute(2, 1, 0) for weight in weights]
    return [part for table in tables for part in table.split(_FILTERS_AT_ONCE, dim=2)]


@cached_by_weights
def _frozen_tables(*weights: torch.Tensor) -> list[torch.Tensor]:
    return [table.contiguous() for table in _tables(*weights)]


class _LookupMax(torch.autograd.Function):
    """Apply `lookup_max` to each table, in threads."""

    @staticmethod
    def forward(
        ctx: Any, words: numpy.ndarray, lengths: numpy.ndarray, *tables: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        def look_up(table: torch.Tensor) -> tuple[torch.Tensor, numpy.ndarray]:
            best = table.new_empty(len(words), table.size(2))
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
            table = grad.new_zeros(shape)
            lookup_max_backward(grad.contiguous().numpy(), ctx.words, where, table.numpy())
            return table

        return None, None, *run_parts(add_up, list(zip(grads, ctx.where, ctx.shapes)))
