"""The sampled softmax in a few large operations, with a hand-written gradient, for GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from elmo_plugin.layers.sampled_cross_entropy import Candidates

# Scores of a piece: 256 MB in float32. About three tensors of this size exist at a time.
_SCORES_AT_ONCE = 2**26


def sampled_cross_entropy(
    candidates: Candidates, hits: torch.Tensor, precision: torch.dtype | None = None
) -> torch.Tensor:
    """Compute `layers.sampled_cross_entropy` faster; parameters and results are the same."""
    # `precision` alone decides, as in the definition: a caller's autocast stops here.
    with torch.autocast(candidates.hidden.device.type, enabled=False):
        return _SampledCrossEntropy.apply(hits, precision, *candidates)


class _SampledCrossEntropy(torch.autograd.Function):
    """Computes the scores again in the backward pass, so that they are not kept."""

    @staticmethod
    def forward(
        ctx: Any, hits: torch.Tensor, precision: torch.dtype | None, *arguments: torch.Tensor
    ) -> torch.Tensor:
        ctx.precision = precision
        candidates = Candidates(*arguments)
        pieces = _pieces(candidates, hits, precision)
        totals = torch.cat([scores.logsumexp(1) for _, scores in pieces])
        ctx.save_for_backward(hits, totals, *candidates)
        return totals - _target_scores(candidates)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_losses: torch.Tensor) -> tuple[Any, ...]:
        hits, totals, *arguments = ctx.saved_tensors
        candidates, precision = Candidates(*arguments), ctx.precision
        hidden, target_weight, _, sample_weight, _ = candidates
        weight = sample_weight.to(precision or hidden.dtype)
        grad_targets, grad_hidden = torch.empty_like(totals), torch.empty_like(hidden)
        grad_weight = torch.zeros_like(sample_weight)
        grad_bias = torch.zeros_like(candidates.sample_bias)
        for rows, scores in _pieces(candidates, hits, precision):
            # The gradient of a score is its word's probability, and for the target that less 1.
            grads = scores.sub_(totals[rows, None]).exp_().mul_(grad_losses[rows, None])
            grad_targets[rows] = grads[:, -1] - grad_losses[rows]
            of_samples = grads[:, :-1]
            grad_bias += of_samples.sum(0)
            of_samples = of_samples.to(weight.dtype)
            grad_hidden[rows] = torch.mm(of_samples, weight).to(hidden.dtype)
            grad_weight += torch.mm(of_samples.T, hidden[rows].to(weight.dtype))
        column = grad_targets.unsqueeze(1)
        grad_hidden.addcmul_(column, target_weight)
        return None, None, grad_hidden, column * hidden, grad_targets, grad_weight, grad_bias


def _pieces(
    candidates: Candidates, hits: torch.Tensor, precision: torch.dtype | None
) -> Iterator[tuple[slice, torch.Tensor]]:
    """Yield predictions, and their scores of all samples and of the target, in this order."""
    hidden, _, _, weight, bias = candidates
    samples = len(bias)
    operands = hidden.to(precision or hidden.dtype), weight.to(precision or hidden.dtype)
    targets = _target_scores(candidates)
    # Those without a hit exclude the last column, which the target's score then takes.
    excluded = torch.where(hits >= 0, hits, samples).unsqueeze(1)
    size = max(1, _SCORES_AT_ONCE // (samples + 1))
    for start in range(0, max(1, len(hits)), size):
        rows = slice(start, min(start + size, len(hits)))
        scores = hidden.new_empty(rows.stop - start, samples + 1)
        # Not in a lower precision: biases hold the logarithms of the sampling probabilities.
        torch.add(torch.mm(operands[0][rows], operands[1].T), bias, out=scores[:, :samples])
        scores.scatter_(1, excluded[rows], -torch.inf)
        scores[:, samples] = targets[rows]
        yield rows, scores
        del scores  # before the next piece


def _target_scores(candidates: Candidates) -> torch.Tensor:
    return (candidates.hidden * candidates.target_weight).sum(-1) + candidates.target_bias
