"""Sampled softmax against TensorFlow's in NumPy, AllenNLP's, and the full softmax."""

from __future__ import annotations

from typing import NamedTuple

import numpy
import pytest
import torch
from allennlp.modules.sampled_softmax_loss import SampledSoftmaxLoss

from elmo_plugin.layers.sampled_cross_entropy import Candidates, sampled_cross_entropy
from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from elmo_plugin.layers.softmax import CHUNK_SIZE, Softmax
from tests.helpers.log_uniform import CPU, log_uniform_probabilities

WORDS, DIM = 60, 6


class Case(NamedTuple):
    softmax: Softmax
    hidden: torch.Tensor
    targets: torch.Tensor


def _case(predictions: int = 40) -> Case:
    """Targets with Zipfian frequencies."""
    torch.manual_seed(0)
    softmax = Softmax(WORDS, DIM).double()
    torch.nn.init.normal_(softmax.bias)
    hidden = torch.randn(predictions, DIM, dtype=torch.double, requires_grad=True)
    chances = log_uniform_probabilities(WORDS)
    targets = numpy.random.default_rng(0).choice(WORDS, predictions, p=chances)
    return Case(softmax, hidden, torch.from_numpy(targets))


def _sampled(case: Case, sampler: LogUniformSampler, seed: int) -> torch.Tensor:
    torch.manual_seed(seed)
    return sampled_negative_log_likelihood(case.softmax, sampler, case.hidden, case.targets)


def _tensorflows(case: Case, samples: numpy.ndarray, trials: int) -> numpy.ndarray:
    """tf.nn.sampled_softmax_loss(num_true=1, remove_accidental_hits=True)."""
    weight, bias = (p.detach().numpy() for p in (case.softmax.weight, case.softmax.bias))
    hidden, targets = case.hidden.detach().numpy(), case.targets.numpy()
    missed = numpy.log1p(-log_uniform_probabilities(WORDS))
    log_expected_count = numpy.log(-numpy.expm1(trials * missed))
    true_logits = (hidden * weight[targets]).sum(1) + bias[targets] - log_expected_count[targets]
    logits = hidden @ weight[samples].T + bias[samples] - log_expected_count[samples]
    logits[targets[:, None] == samples[None, :]] -= numpy.finfo("float32").max
    logits = numpy.concatenate([true_logits[:, None], logits], axis=1)
    return numpy.log(numpy.exp(logits - true_logits[:, None]).sum(1))


@pytest.mark.parametrize("number", [1, 10, WORDS - 1])
@pytest.mark.parametrize("predictions", [1, 40, 2 * CHUNK_SIZE + 3])
def test_losses_equal_tensorflow(number: int, predictions: int) -> None:
    case, sampler = _case(predictions), LogUniformSampler(WORDS, number)
    for seed in range(5):
        losses = _sampled(case, sampler, seed)
        torch.manual_seed(seed)
        samples, trials = sampler.sample(CPU)
        expected = _tensorflows(case, samples.numpy(), trials)
        numpy.testing.assert_allclose(losses.detach(), expected, rtol=1e-9, atol=1e-12)


def test_gradients_equal_allennlp() -> None:
    case, sampler = _case(), LogUniformSampler(WORDS, 10)
    _sampled(case, sampler, 0).sum().backward()
    hidden = case.hidden.detach().clone().requires_grad_()

    def same_samples(*_: int) -> tuple[numpy.ndarray, int]:
        torch.manual_seed(0)
        samples, trials = sampler.sample(CPU)
        return samples.numpy(), trials

    theirs = SampledSoftmaxLoss(WORDS, DIM, 10).double()
    theirs.choice_func = same_samples
    theirs.softmax_w.data.copy_(case.softmax.weight.data)
    theirs.softmax_b.data.copy_(case.softmax.bias.data)
    theirs(hidden, case.targets).backward()
    # AllenNLP computes the chances in single precision.
    close = {"atol": 1e-5, "rtol": 1e-5}
    torch.testing.assert_close(case.hidden.grad, hidden.grad, **close)
    torch.testing.assert_close(case.softmax.weight.grad, theirs.softmax_w.grad, **close)
    torch.testing.assert_close(case.softmax.bias.grad, theirs.softmax_b.grad, **close)


def _gradients(case: Case, loss: torch.Tensor) -> torch.Tensor:
    parameters = (case.softmax.weight, case.softmax.bias, case.hidden)
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss, parameters)])


def _mean_gradient(case: Case, number: int, draws: int) -> torch.Tensor:
    sampler = LogUniformSampler(WORDS, number)
    drawn = [_gradients(case, _sampled(case, sampler, seed).mean()) for seed in range(draws)]
    return torch.stack(drawn).mean(0)


def test_mean_gradient_approaches_that_of_the_full_softmax() -> None:
    case = _case()
    # A trained softmax knows how frequent words are; the samples' frequencies are to cancel out.
    with torch.no_grad():
        case.softmax.bias.copy_(torch.from_numpy(numpy.log(log_uniform_probabilities(WORDS))))
    full = _gradients(case, case.softmax(case.hidden, case.targets).mean())
    errors = [
        ((_mean_gradient(case, number, 250) - full).norm() / full.norm()).item()
        for number in (5, 20, 40, WORDS - 1)
    ]
    # The estimate is without bias only as samples become many, so the error falls towards what
    # chance adds, under a hundredth. Without the correction it is 0.53, 0.36 and 0.13 at first.
    assert errors == sorted(errors, reverse=True)
    for error, most in zip(errors, (0.35, 0.12, 0.04, 0.02)):
        assert error < most


def test_sampled_target_does_not_count_against_itself() -> None:
    case = _case()
    # All predictions of one word, frequent enough to be among the samples.
    case = case._replace(targets=torch.zeros_like(case.targets))
    sampler = LogUniformSampler(WORDS, 30)
    with torch.no_grad():
        case.softmax.bias[0] = 50.0  # so likely that, alone, it costs nothing
        torch.manual_seed(0)
        assert 0 in sampler.sample(CPU)[0]
        assert _sampled(case, sampler, 0).max() < 1e-9


def test_loss_of_a_target_that_is_not_sampled_is_positive() -> None:
    case, sampler = _case(), LogUniformSampler(WORDS, 1)
    case = case._replace(targets=torch.full_like(case.targets, WORDS - 1))
    assert (_sampled(case, sampler, 0) > 0).all()


def test_only_targets_and_samples_get_a_gradient() -> None:
    case, sampler = _case(3), LogUniformSampler(WORDS, 4)
    _sampled(case, sampler, 0).sum().backward()
    torch.manual_seed(0)
    seen = {*sampler.sample(CPU)[0].tolist(), *case.targets.tolist()}
    assert case.softmax.weight.grad is not None
    assert set(case.softmax.weight.grad.any(-1).nonzero().flatten().tolist()) == seen


def test_no_predictions() -> None:
    case = _case(0)
    assert _sampled(case, LogUniformSampler(WORDS, 4), 0).shape == (0,)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_losses_have_the_type_of_the_hidden_vectors(dtype: torch.dtype) -> None:
    case = _case()
    case = Case(case.softmax.to(dtype), case.hidden.to(dtype), case.targets)
    assert _sampled(case, LogUniformSampler(WORDS, 4), 0).dtype == dtype


def test_biases_are_added_in_float32() -> None:
    """They hold the logarithms of the sampling probabilities, which bfloat16 rounds by 0.03."""
    torch.manual_seed(0)
    hidden, targets, samples = 0.01 * torch.randn(5, 8), torch.randn(5, 8), torch.randn(40, 8)
    biases = torch.linspace(9, 12, 5), torch.linspace(5, 13, 40)
    candidates = Candidates(hidden, targets, biases[0], samples, biases[1])
    hits = torch.full((5,), -1)
    near = sampled_cross_entropy(candidates, hits, torch.bfloat16)
    torch.testing.assert_close(near, sampled_cross_entropy(candidates, hits), atol=1e-3, rtol=0)
