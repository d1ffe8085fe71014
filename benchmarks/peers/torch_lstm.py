"""The LSTM layers of a biLM by `torch.nn.LSTM(proj_size=...)`, which has no clipping."""

from __future__ import annotations

import torch
from torch.nn.utils.rnn import PackedSequence

from elmo_plugin.layers.lstm import FORGET_BIAS
from elmo_plugin.layers.projected_lstm import ProjectedLstm
from elmo_plugin.layers.stacked_lstm import StackedLstm


class TorchLstm(torch.nn.Module):
    """
    One stack per direction, as a biLM's directions share no layer.

    # Parameters

    ours : `StackedLstm`
        Its weights are copied. Must have neither clips nor residual connections.
    """

    def __init__(self, ours: StackedLstm) -> None:
        super().__init__()
        layers = [layer for layer in ours.layers if isinstance(layer, ProjectedLstm)]
        _, input_dim, _ = layers[0].input_weight.shape
        _, cell_dim, projection_dim = layers[0].projection.shape
        self.directions = torch.nn.ModuleList(
            torch.nn.LSTM(input_dim, cell_dim, len(layers), proj_size=projection_dim)
            for _ in range(2)
        )
        for direction, lstm in enumerate(self.directions):
            for depth, layer in enumerate(layers):
                _copy(layer, direction, lstm, depth)

    def forward(self, inputs: torch.Tensor, batch_sizes: torch.Tensor) -> torch.Tensor:
        """The top layer. Inputs are packed by step, see `lstm`. Shape (2, words, dim)."""
        outputs = [lstm(PackedSequence(x, batch_sizes)) for lstm, x in zip(self.directions, inputs)]
        return torch.stack([output.data for output, _ in outputs])


def _copy(layer: ProjectedLstm, direction: int, lstm: torch.nn.Module, depth: int) -> None:
    bias = layer.bias[direction].clone()
    bias.chunk(4)[2].add_(FORGET_BIAS)
    copied = {
        "weight_ih": layer.input_weight[direction].T,
        "weight_hh": layer.recurrent_weight[direction].T,
        "bias_ih": bias,
        "bias_hh": torch.zeros_like(bias),
    }
    for name, value in copied.items():
        i, g, f, o = value.chunk(4)  # torch has forget before candidate
        getattr(lstm, f"{name}_l{depth}").copy_(torch.cat([i, f, g, o]))
    getattr(lstm, f"weight_hr_l{depth}").copy_(layer.projection[direction].T)
