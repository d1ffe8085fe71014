"""Arguments of one packed LSTM layer in double precision."""

from __future__ import annotations

import torch

from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights

INPUT, CELL, PROJECTION = 3, 4, 2
BATCH_SIZES = [[2, 2, 1], [1, 1, 1, 1], [4], [3, 1, 1]]
CLIPS: list[Clips] = [(None, None), (0.3, None), (None, 0.2), (0.3, 0.2)]
"""Bounds that random values reach."""


def lstm_arguments(
    batch: int, words: int, seed: int = 0
) -> tuple[torch.Tensor, LstmWeights, LstmState]:
    """Random inputs, weights and state that require gradients."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        values = torch.randn(2, *shape, generator=generator, dtype=torch.double)
        return values.requires_grad_()

    inputs = draw(words, INPUT)
    gates = 4 * CELL
    weights = LstmWeights(
        draw(INPUT, gates), draw(PROJECTION, gates), draw(gates), draw(CELL, PROJECTION)
    )
    return inputs, weights, LstmState(draw(batch, PROJECTION), draw(batch, CELL))
