"""The result of one pass of a biLM, which everything else in this package reads from."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass
class BilmOutput:
    """All layers of a batch of sentences (R_k in section 3.2)."""

    layers: torch.Tensor
    """
    The token layer (repeated for both directions) and the LSTM layers, zero at masked positions.
    Shape (num_layers + 1, batch, tokens, 2 * projection_dim).
    """
    mask: torch.Tensor
    """True where there is a token. Shape (batch, tokens)."""
