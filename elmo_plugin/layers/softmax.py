"""The output layer over words, whole (equation of section 3.1: shared by both directions)."""

from __future__ import annotations

import torch

# Predictions whose scores over the whole vocabulary are in memory at once.
PREDICTIONS_AT_ONCE = 1024


class Softmax(torch.nn.Module):
    """
    `p(word | hidden) = softmax(W hidden + b)`, Theta_s in the paper.

    # Parameters

    vocabulary_size : `int`
    dim : `int`
        Size of a hidden vector.
    """

    def __init__(self, vocabulary_size: int, dim: int) -> None:
        super().__init__()
        self.sparse = False
        self.weight = torch.nn.Parameter(torch.empty(vocabulary_size, dim))
        self.bias = torch.nn.Parameter(torch.empty(vocabulary_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """As published: weights N(0, 1/sqrt(dim)), biases 0."""
        torch.nn.init.normal_(self.weight, std=self.weight.size(1) ** -0.5)
        torch.nn.init.zeros_(self.bias)

    def forward(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        hidden : `torch.Tensor`
            Shape (predictions, dim).
        targets : `torch.Tensor`
            Word ids. Shape (predictions,).

        # Returns

        `torch.Tensor` : negative log-likelihoods in nats. Shape (predictions,).
        """
        parts = zip(hidden.split(PREDICTIONS_AT_ONCE), targets.split(PREDICTIONS_AT_ONCE))
        losses = [self._negative_log_likelihood(h, t) for h, t in parts]
        return torch.cat(losses)

    def _negative_log_likelihood(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        scores = torch.nn.functional.linear(hidden, self.weight, self.bias)
        return torch.nn.functional.cross_entropy(scores, targets, reduction="none")
