"""The compiled sampled cross-entropy against torch's, values and gradients."""

import pytest
import torch

from elmo_plugin.layers.sampled_cross_entropy import Candidates, sampled_cross_entropy
from elmo_plugin.layers.torch_threads import torch_threads

compiled = pytest.importorskip("elmo_plugin.layers.fast.compiled.softmax")

DIM, SAMPLES = 6, 37


def candidates(predictions: int) -> list[torch.Tensor]:
    torch.manual_seed(predictions)
    shapes = [(predictions, DIM), (predictions, DIM), (predictions,), (SAMPLES, DIM), (SAMPLES,)]
    return [torch.randn(shape).requires_grad_() for shape in shapes]


def hits_of(predictions: int) -> torch.Tensor:
    """Every third prediction's target is among the samples."""
    hits = torch.full((predictions,), -1)
    hits[::3] = torch.randint(0, SAMPLES, hits[::3].shape)
    return hits


def plain(tensors: list[torch.Tensor], hits: torch.Tensor) -> torch.Tensor:
    hidden, target_weight, target_bias, weight, bias = tensors
    scores = hidden @ weight.T + bias
    scores = scores.masked_fill(torch.arange(SAMPLES) == hits.unsqueeze(1), -torch.inf)
    target = (hidden * target_weight).sum(-1) + target_bias
    return torch.cat([target.unsqueeze(1), scores], 1).logsumexp(1) - target


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("weighting", ["mean", "unequal"])
@pytest.mark.parametrize("predictions", [1, 2, 600])
def test_values_and_gradients(predictions: int, weighting: str, threads: int) -> None:
    tensors, hits = candidates(predictions), hits_of(predictions)
    weights = torch.randn(predictions) if weighting == "unequal" else torch.tensor(1 / predictions)
    with torch_threads(threads):
        losses = [
            compiled.sampled_cross_entropy(Candidates(*tensors), hits),
            plain(tensors, hits),
        ]
        gradients = [torch.autograd.grad((loss * weights).sum(), tensors) for loss in losses]
    torch.testing.assert_close(*losses, atol=1e-5, rtol=1e-5)
    for one, other in zip(*gradients):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("threads", [1, 2])
def test_bfloat16(threads: int) -> None:
    tensors, hits = candidates(600), hits_of(600)
    with torch_threads(threads):
        found = compiled.sampled_cross_entropy(Candidates(*tensors), hits, torch.bfloat16)
        expected = sampled_cross_entropy(Candidates(*tensors), hits, torch.bfloat16)
        gradients = [torch.autograd.grad(losses.sum(), tensors) for losses in (found, expected)]
    torch.testing.assert_close(found, expected, atol=1e-3, rtol=0)
    assert not torch.allclose(found, plain(tensors, hits), atol=1e-2, rtol=0)
    for one, other in zip(*gradients):
        # Sums of many rows are rounded in pieces here.
        bound = 2**-7 * other.abs().max().item()
        torch.testing.assert_close(one, other, atol=bound, rtol=0)


@pytest.mark.parametrize("argument", range(5))
def test_nan_shows(argument: int) -> None:
    tensors = [t.detach() for t in candidates(5)]
    tensors[argument].view(-1)[0] = torch.nan
    losses = compiled.sampled_cross_entropy(Candidates(*tensors), hits_of(5))
    assert losses.isnan().any()
