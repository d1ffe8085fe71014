"""Convolutions as matrix products against `torch.nn.Conv1d`."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
import torch

from elmo_plugin.layers.fast import convolution
from elmo_plugin.layers.fast.convolution import convolve_by_matmul
from tests.helpers.random_bilm import random_bilm


@pytest.mark.parametrize("words", [7, 1, 0])
@pytest.mark.parametrize("at_once", [8192, 3])
def test_values_and_gradients(words: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "_WORDS_AT_ONCE", at_once)
    encoder = random_bilm().double().token_encoder
    convolutions = cast("list[torch.nn.Conv1d]", list(encoder.convolutions))
    weights = [encoder.characters.weight, *encoder.convolutions.parameters()]
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(262, (words, 11), generator=generator)

    def results(function: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
        found = function(ids)
        return [found, *torch.autograd.grad(found.square().sum(), weights)]

    found = results(lambda ids: convolve_by_matmul(weights[0], convolutions, ids))
    torch.testing.assert_close(found, results(encoder._convolve))
