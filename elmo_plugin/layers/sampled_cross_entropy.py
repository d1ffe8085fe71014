"""Cross-entropy of a target against sampled words (Jean et al. 2015)."""

from __future__ import annotations

from typing import NamedTuple

import torch

from elmo_plugin.layers.softmax import CHUNK_SIZE


class Candidates(NamedTuple):
    """Hidden vectors, and the words that each is scored with: its target and shared samples."""

    hidden: torch.Tensor
    """Shape (predictions, dim)."""
    target_weight: torch.Tensor
    """Shape (predictions, dim)."""
    target_bias: torch.Tensor
    """Shape (predictions,)."""
    sample_weight: torch.Tensor
    """Shape (samples, dim)."""
    sample_bias: torch.Tensor
    """Shape (samples,)."""


def sampled_cross_entropy(
    candidates: Candidates, hits: torch.Tensor, precision: torch.dtype | None = None
) -> torch.Tensor:
    """
    Compute the negative log-probability of each target among itself and the samples.

    # Parameters

    candidates : `Candidates`
    hits : `torch.Tensor`
        Sample that is a prediction's own target, which does not count; -1 for none. Shape
        (predictions,).
    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands; the weights' own if `None`.

    # Returns

    `torch.Tensor` : in nats. Shape (predictions,).
    """
    hidden, target_weight, target_bias, weight, bias = candidates
    target_scores = (hidden * target_weight).sum(-1) + target_bias
    losses = []
    for h, score, hit in zip(*(t.split(CHUNK_SIZE) for t in (hidden, target_scores, hits))):
        with torch.autocast(h.device.type, dtype=precision, enabled=precision is not None):
            products = torch.nn.functional.linear(h, weight)
        # Not in a lower precision: biases hold the logarithms of the sampling probabilities.
        scores = products.to(h.dtype) + bias
        rows = (hit >= 0).nonzero().squeeze(-1)
        scores[rows, hit[rows]] = -torch.inf
        losses.append(torch.cat([score.unsqueeze(1), scores], dim=1).logsumexp(1) - score)
    return torch.cat(losses)
