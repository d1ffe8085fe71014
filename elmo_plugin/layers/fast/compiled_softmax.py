"""The sampled softmax's loss together with its gradient, in pieces that fit into the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from elmo_plugin.layers.fast.compiled_lstm import numpy_view
from elmo_plugin.layers.fast.kernels.softmax import cross_entropy
from elmo_plugin.layers.fast.threads import run_parts

# Predictions of one piece, whose scores are in memory at once.
_PREDICTIONS = 256


class Candidates(NamedTuple):
    """What each prediction chooses from: its target, and samples that all share."""

    hidden: torch.Tensor
    """Shape (predictions, dim)."""
    target_weight: torch.Tensor
    """Shape (predictions, dim)."""
    target_bias: torch.Tensor
    """Corrected for the chance to be sampled. Shape (predictions,)."""
    sample_weight: torch.Tensor
    """Shape (samples, dim)."""
    sample_bias: torch.Tensor
    """Likewise. Shape (samples,)."""


def sampled_cross_entropy(
    candidates: Candidates, hits: torch.Tensor, precision: torch.dtype | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    # Parameters

    candidates : `Candidates`
    hits : `torch.Tensor`
        The sample that is a prediction's own target; -1 for none. Shape (predictions,).
    precision : `torch.dtype`, optional (default = `None`)
        Type of the operands of matrix products; the weights' own if `None`.

    # Returns

    total : `torch.Tensor`
        The sum of all losses, in nats, to be differentiated.
    losses : `torch.Tensor`
        Each of them, outside of any autograd graph. Shape (predictions,).
    """
    return _SampledCrossEntropy.apply(hits, precision, *candidates)


class _SampledCrossEntropy(torch.autograd.Function):
    """Computes the gradient of the sum with the sum: scores need not be kept, nor made again."""

    @staticmethod
    def forward(
        ctx: Any, hits: torch.Tensor, precision: torch.dtype | None, *arguments: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        candidates = Candidates(*(t.detach() for t in arguments))
        lower = precision or candidates.hidden.dtype
        hidden, weight = candidates.hidden.to(lower), candidates.sample_weight.to(lower)
        target_scores = (candidates.hidden * candidates.target_weight).sum(-1)
        target_scores += candidates.target_bias
        losses, grad_targets = torch.empty_like(target_scores), torch.empty_like(target_scores)
        grad_hidden = torch.empty_like(hidden)

        def run(part: slice) -> tuple[torch.Tensor, torch.Tensor]:
            grad_weight = torch.zeros_like(candidates.sample_weight)
            grad_bias = torch.zeros_like(candidates.sample_bias)
            for start in range(part.start, part.stop, _PREDICTIONS):
                piece = slice(start, min(start + _PREDICTIONS, part.stop))
                scores = hidden[piece] @ weight.T
                tensors = (scores, candidates.sample_bias, target_scores[piece], hits[piece])
                written = (losses[piece], grad_targets[piece], grad_bias)
                cross_entropy(*map(numpy_view, (*tensors, *written)))
                torch.mm(scores, weight, out=grad_hidden[piece])
                grad_weight += scores.T @ hidden[piece]
            return grad_weight, grad_bias

        count = len(hidden)
        threads = max(1, torch.get_num_threads())
        bounds = [count * k // threads for k in range(threads + 1)]
        found = run_parts(run, [slice(*pair) for pair in zip(bounds, bounds[1:])])
        grad_weight, grad_bias = (sum(parts[1:], start=parts[0]) for parts in zip(*found))
        factor = grad_targets.unsqueeze(1)
        grad_all = grad_hidden.to(losses.dtype).addcmul_(factor, candidates.target_weight)
        grad_target_weight = factor * candidates.hidden
        ctx.save_for_backward(grad_all, grad_target_weight, grad_targets, grad_weight, grad_bias)
        ctx.mark_non_differentiable(losses)
        return losses.sum(), losses

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_total: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        return None, None, *(grad * grad_total for grad in ctx.saved_tensors)
