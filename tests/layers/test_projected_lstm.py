from __future__ import annotations

import torch

from elmo_plugin.layers.lstm import LstmState, LstmWeights, lstm
from elmo_plugin.layers.projected_lstm import ProjectedLstm
from tests.helpers.bfloat16 import needs_bfloat16


def _zero(batch: int, projection_dim: int, cell_dim: int) -> LstmState:
    return LstmState(torch.zeros(2, batch, projection_dim), torch.zeros(2, batch, cell_dim))


def test_layer_computes_the_lstm_of_its_parameters() -> None:
    torch.manual_seed(0)
    layer = ProjectedLstm(3, 5, 2, cell_clip=0.3, projection_clip=0.1)
    torch.nn.init.normal_(layer.bias)
    inputs = torch.randn(2, 5, 3)
    weights = LstmWeights(*layer.parameters())
    found = layer(inputs, [2, 2, 1], _zero(2, 2, 5))
    expected = lstm(inputs, weights, _zero(2, 2, 5), [2, 2, 1], (0.3, 0.1))
    torch.testing.assert_close(found, expected)


@needs_bfloat16
def test_lower_precision_in_training_only() -> None:
    torch.manual_seed(0)
    layer = ProjectedLstm(12, 32, 16, precision=torch.bfloat16)
    exact = ProjectedLstm(12, 32, 16)
    exact.load_state_dict(layer.state_dict())
    arguments = (torch.randn(2, 8, 12), [8], _zero(8, 16, 32))
    expected = exact(*arguments)[0]
    assert not torch.equal(layer(*arguments)[0], expected)
    assert torch.equal(layer.eval()(*arguments)[0], expected)


def test_initial_values_as_published() -> None:
    torch.manual_seed(0)
    layer = ProjectedLstm(512, 1024, 256)
    kernel_bound = (6 / (512 + 256 + 4 * 1024)) ** 0.5
    projection_bound = (6 / (1024 + 256)) ** 0.5
    bounds = [
        (layer.input_weight, kernel_bound),
        (layer.recurrent_weight, kernel_bound),
        (layer.projection, projection_bound),
    ]
    for weight, bound in bounds:
        assert 0.99 * bound < weight.abs().max().item() <= bound
    assert not layer.bias.any()
