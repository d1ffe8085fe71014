"""Changes of weights that PyTorch does not count."""

from __future__ import annotations

import pytest
import torch

from elmo_plugin.layers.fast.weights_fingerprint import WeightsFingerprint


@pytest.mark.parametrize("shape", [(512, 512), (2, 256, 4096), (512, 2048), (7, 5), (1, 1), (0, 4)])
def test_change_of_every_column_but_one_is_found(shape: tuple[int, ...]) -> None:
    """Simulate a step in which one of the inputs has no gradient."""
    weight = torch.ones(shape)
    before = WeightsFingerprint([weight])
    assert before.matches([weight])
    weight.data[..., 1:] = 0  # PyTorch counts no change
    assert before.matches([weight]) == (weight.numel() <= 1)
