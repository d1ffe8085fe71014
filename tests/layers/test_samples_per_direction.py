"""Samples of the softmax for each direction, against losses of each direction by itself."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from elmo_plugin.layers import Bilm
from elmo_plugin.layers.language_model import IGNORE_INDEX, LanguageModel
from elmo_plugin.layers.sampled_softmax import sampled_negative_log_likelihood
from elmo_plugin.layers.softmax import Softmax
from tests.helpers.random_bilm import SMALL

WORDS, ROWS, STEPS = 60, 3, 5


def _model(samples_per_direction: bool) -> LanguageModel:
    torch.manual_seed(0)
    softmax = Softmax(WORDS, SMALL.projection_dim)
    options = {"num_samples": 10, "samples_per_direction": samples_per_direction}
    return LanguageModel(Bilm(SMALL), softmax, **options).train()  # type: ignore[arg-type]


def _batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    words = torch.randint(1, 260, (8, SMALL.max_characters), generator=generator)
    inputs = torch.randint(0, 8, (2, ROWS, STEPS), generator=generator)
    targets = torch.randint(0, WORDS, (2, ROWS, STEPS), generator=generator)
    targets[0, 1, 3:] = targets[1, 2, 1:] = IGNORE_INDEX
    return words, inputs, targets


@pytest.mark.parametrize("samples_per_direction", [True, False])
def test_directions_have_samples_of_their_own(samples_per_direction: bool) -> None:
    model, (words, inputs, targets) = _model(samples_per_direction), _batch()
    torch.manual_seed(7)
    found = model(words, inputs, targets).token_log_likelihoods

    hidden, _ = model.bilm.run_streams(words, inputs, model.bilm.zero_states(ROWS))
    expected = torch.zeros(2, ROWS, STEPS)
    sampler = model.sampler
    assert sampler is not None
    torch.manual_seed(7)
    for direction in (0, 1):
        if not samples_per_direction:
            torch.manual_seed(7)  # the same samples
        used = targets[direction] != IGNORE_INDEX
        losses = sampled_negative_log_likelihood(
            model.softmax, sampler, hidden[direction][used], targets[direction][used]
        )
        expected[direction][used] = -losses
    assert_close(found, expected)


def test_evaluation_and_gradients_do_not_lack_a_direction() -> None:
    model, batch = _model(samples_per_direction=True), _batch()
    model(*batch).loss.backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), name
    scores = (_model(each).eval()(*batch).log_likelihoods for each in (True, False))
    assert torch.equal(*scores)
