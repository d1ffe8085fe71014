"""The softmax over words that both directions share (section 3.1)."""

from __future__ import annotations

from contextlib import nullcontext

import torch

# Number of predictions whose scores over the whole vocabulary are in memory at once.
CHUNK_SIZE = 1024


class Softmax(torch.nn.Module):
    """
    `p(word | hidden) = softmax(W hidden + b)`, with the parameters Theta_s in the paper.

    # Parameters

    vocabulary_size : `int`
    dim : `int`
        Size of a hidden vector.
    """

    sparse = False
    """Give the weight a sparse gradient in sampled training, as `torch.nn.Embedding` does: rows of
    words that were not sampled then cost nothing."""

    def __init__(self, vocabulary_size: int, dim: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(vocabulary_size, dim))
        self.bias = torch.nn.Parameter(torch.empty(vocabulary_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize as published: weights N(0, 1/dim), biases 0."""
        torch.nn.init.normal_(self.weight, std=self.weight.size(1) ** -0.5)
        torch.nn.init.zeros_(self.bias)

    def forward(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """
        Score predictions with the full softmax.

        # Parameters

        hidden : `torch.Tensor`
            Shape (predictions, dim).
        targets : `torch.Tensor`
            Word ids. Shape (predictions,).

        # Returns

        `torch.Tensor` : negative log-likelihoods in nats. Shape (predictions,).
        """
        chunks = zip(hidden.split(CHUNK_SIZE), targets.split(CHUNK_SIZE))
        # If AllenNLP trains under autocast, it validates so, too.
        full = torch.autocast(hidden.device.type, enabled=False)
        with nullcontext() if self.training else full:
            return torch.cat([self._negative_log_likelihood(h, t) for h, t in chunks])

    def _negative_log_likelihood(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        scores = torch.nn.functional.linear(hidden, self.weight, self.bias)
        return torch.nn.functional.cross_entropy(scores, targets, reduction="none")
