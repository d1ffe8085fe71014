"""The sampled softmax's hand-written gradient against autograd of its definition."""

from __future__ import annotations

import pytest
import torch

from elmo_plugin.layers.fast import softmax
from elmo_plugin.layers.sampled_cross_entropy import Candidates, sampled_cross_entropy


def _candidates(predictions: int, samples: int, dtype: torch.dtype) -> Candidates:
    generator = torch.Generator().manual_seed(0)
    shapes = (predictions, 6), (predictions, 6), (predictions,), (samples, 6), (samples,)
    each = (torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes)
    return Candidates(*(tensor.requires_grad_() for tensor in each))


def _hits(predictions: int, samples: int) -> torch.Tensor:
    """Samples that are targets, and -1."""
    return torch.randint(-1, samples, (predictions,), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("predictions", "samples"), [(40, 10), (1, 1), (7, 30), (0, 5)])
@pytest.mark.parametrize("rows_at_once", [100, 3])
def test_losses_and_gradients(
    predictions: int, samples: int, rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(softmax, "_SCORES_AT_ONCE", rows_at_once * (samples + 1))
    candidates = _candidates(predictions, samples, torch.float64)
    hits = _hits(predictions, samples)
    weights = torch.rand(predictions, dtype=torch.float64)
    found = softmax.sampled_cross_entropy(candidates, hits)
    expected = sampled_cross_entropy(candidates, hits)
    torch.testing.assert_close(found, expected)
    gradients = (
        torch.autograd.grad((losses * weights).sum(), candidates) for losses in (found, expected)
    )
    torch.testing.assert_close(*gradients)


def test_lower_precision() -> None:
    """Products are rounded where the definition's are: sums and biases are not."""
    candidates, hits = _candidates(40, 10, torch.float32), _hits(40, 10)
    found = softmax.sampled_cross_entropy(candidates, hits, torch.bfloat16)
    expected = sampled_cross_entropy(candidates, hits, torch.bfloat16)
    torch.testing.assert_close(found, expected)
    gradients = (torch.autograd.grad(losses.sum(), candidates) for losses in (found, expected))
    # A gradient that lies between two values of bfloat16 may be rounded to either.
    torch.testing.assert_close(*gradients, rtol=2**-7, atol=1e-3)


def test_autocast_changes_nothing() -> None:
    candidates, hits = _candidates(40, 10, torch.float32), _hits(40, 10)
    expected = sampled_cross_entropy(candidates, hits)
    with torch.autocast("cpu", torch.bfloat16):
        found = softmax.sampled_cross_entropy(candidates, hits)
    torch.testing.assert_close(found, expected)
