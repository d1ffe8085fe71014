from __future__ import annotations

import numpy
import torch

from elmo_plugin.layers.softmax import CHUNK_SIZE, Softmax

WORDS, DIM = 7, 5
MANY = 2 * CHUNK_SIZE + 3
"""Predictions in three chunks."""


def _case(predictions: int) -> tuple[Softmax, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    softmax = Softmax(WORDS, DIM).double()
    torch.nn.init.normal_(softmax.bias)
    hidden = torch.randn(predictions, DIM, dtype=torch.double, requires_grad=True)
    return softmax, hidden, torch.randint(WORDS, (predictions,))


def _probabilities(softmax: Softmax, hidden: torch.Tensor) -> numpy.ndarray:
    weight, bias = (p.detach().numpy() for p in (softmax.weight, softmax.bias))
    scores = numpy.exp(hidden.detach().numpy() @ weight.T + bias)
    return scores / scores.sum(-1, keepdims=True)


def test_negative_log_likelihood() -> None:
    softmax, hidden, targets = _case(MANY)
    losses = softmax(hidden, targets)
    expected = -numpy.log(_probabilities(softmax, hidden)[numpy.arange(MANY), targets])
    numpy.testing.assert_allclose(losses.detach(), expected, rtol=1e-12)


def test_gradients() -> None:
    softmax, hidden, targets = _case(MANY)
    softmax(hidden, targets).sum().backward()
    # The derivative by a score is its probability, less one for the target's.
    errors = _probabilities(softmax, hidden)
    errors[numpy.arange(MANY), targets] -= 1
    weight = softmax.weight.detach().numpy()
    numpy.testing.assert_allclose(hidden.grad, errors @ weight, atol=1e-12)
    by_weight = errors.T @ hidden.detach().numpy()
    numpy.testing.assert_allclose(softmax.weight.grad, by_weight, atol=1e-9)
    numpy.testing.assert_allclose(softmax.bias.grad, errors.sum(0), atol=1e-9)


def test_scores_too_large_to_exponentiate() -> None:
    softmax, hidden, targets = _case(4)
    with torch.no_grad():
        softmax.weight.mul_(1e4)
        scores = hidden @ softmax.weight.T + softmax.bias
        losses = softmax(hidden, targets)
    expected = scores.max(-1).values - scores[torch.arange(4), targets]
    torch.testing.assert_close(losses, expected, rtol=1e-6, atol=1e-6)


def test_no_predictions() -> None:
    softmax, hidden, targets = _case(0)
    losses = softmax(hidden, targets)
    assert losses.shape == (0,)
    losses.sum().backward()


def test_initial_values_as_published() -> None:
    torch.manual_seed(0)
    softmax = Softmax(2000, 64)
    # The standard deviation of 128,000 draws is within a percent (five times its own deviation).
    assert abs(softmax.weight.std().item() * 64**0.5 - 1) < 0.01
    assert abs(softmax.weight.mean().item()) < 0.01 / 8
    assert not softmax.bias.any()
