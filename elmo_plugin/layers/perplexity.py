"""Perplexity of both directions of a language model, accumulated over batches."""

from __future__ import annotations

import torch


class PerplexitySum:
    """Sums of negative log-likelihoods and predictions, in float64, forward direction first."""

    def __init__(self) -> None:
        self.losses = torch.zeros(2, dtype=torch.float64)
        self.predictions = torch.zeros(2, dtype=torch.float64)

    def add(self, losses: torch.Tensor, predictions: torch.Tensor) -> None:
        """
        Add the sums of a batch.

        # Parameters

        losses : `torch.Tensor`
            Sum of negative log-likelihoods in nats. Shape (2,).
        predictions : `torch.Tensor`
            Number of predictions. Shape (2,).
        """
        self.losses += losses.double().cpu()
        self.predictions += predictions.double().cpu()

    def mean(self) -> float:
        """Mean negative log-likelihood of all predictions, in nats."""
        return float(self.losses.sum() / self.predictions.sum())

    def perplexities(self) -> dict[str, float]:
        """exp of the mean negative log-likelihood: of each direction, and of both together."""
        each = self.losses / self.predictions
        both = self.losses.sum() / self.predictions.sum()
        # By torch, as math.exp raises an error where the result is too large for a float.
        forward, backward, average = torch.stack([*each, both]).exp().tolist()
        return {
            "forward_perplexity": forward,
            "backward_perplexity": backward,
            "perplexity": average,
        }
