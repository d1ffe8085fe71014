"""Mixes found in a model's weights, against the modules themselves."""

import pytest
import torch
from allennlp.modules import ScalarMix as AllennlpMix

from elmo_plugin.layers import Elmo, ScalarMix
from elmo_plugin.weights.learned_mixes import find_mixes
from tests.helpers.random_bilm import random_bilm


def test_finds_every_mix_of_a_model() -> None:
    torch.manual_seed(0)
    elmo = Elmo(random_bilm(), num_output_representations=2)
    for mix in elmo.scalar_mixes:
        torch.nn.init.normal_(mix.scalar_parameters)
        torch.nn.init.normal_(mix.gamma)
    model = torch.nn.ModuleDict({"embedder": elmo, "other": torch.nn.Linear(2, 2)})

    found = find_mixes(model.state_dict())

    assert [mix.name for mix in found] == [f"embedder.scalar_mixes.{i}" for i in range(2)]
    for mix, module in zip(found, elmo.scalar_mixes):
        assert mix.weights == pytest.approx(module.weights().tolist())
        assert sum(mix.weights) == pytest.approx(1)
        assert mix.gamma == module.gamma.item()


@pytest.mark.parametrize("kind, weights", [("last", [0, 0, 1]), (0, [1, 0, 0])])
def test_fixed_mix(kind: str, weights: list[float]) -> None:
    [mix] = find_mixes(torch.nn.ModuleList([ScalarMix(3, kind)]).state_dict())
    assert mix.weights == weights


def test_allennlp_mix_with_more_than_ten_layers() -> None:
    layers = [torch.randn(1, 2) for _ in range(12)]
    values = torch.randn(12).tolist()
    module = AllennlpMix(12, initial_scalar_parameters=values)
    [mix] = find_mixes(torch.nn.ModuleList([module]).state_dict())
    expected = sum(s * layer for s, layer in zip(mix.weights, layers))
    torch.testing.assert_close(mix.gamma * expected, module(layers))


def test_normalization_layer_is_not_a_mix() -> None:
    state = {"norm.gamma": torch.ones(3), "norm.beta": torch.zeros(3)}
    assert find_mixes(state) == []
