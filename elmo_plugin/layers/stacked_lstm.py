"""The LSTM layers of a biLM (section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.layers.lstm import LstmState
from elmo_plugin.layers.projected_lstm import ProjectedLstm


class StackedLstm(torch.nn.Module):
    """
    `num_layers` projected LSTMs in each direction. Each direction reads its own lower layer only;
    with `config.residual`, every layer but the first adds its input to its output.

    # Parameters

    config : `BilmConfig`
    dropout : `float`, optional (default = `0.0`)
        Applied to the input of every layer in training.
    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands in training; the weights' own if `None`.
    """

    def __init__(
        self, config: BilmConfig, dropout: float = 0.0, precision: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.residual = config.residual
        self._dims = config.projection_dim, config.cell_dim
        self.dropout = torch.nn.Dropout(dropout)
        self.layers = torch.nn.ModuleList(
            ProjectedLstm(
                config.projection_dim,
                config.cell_dim,
                config.projection_dim,
                config.cell_clip,
                config.projection_clip,
                precision,
            )
            for _ in range(config.num_layers)
        )

    def forward(
        self, inputs: torch.Tensor, batch_sizes: Sequence[int], states: Sequence[LstmState]
    ) -> tuple[list[torch.Tensor], list[LstmState]]:
        """
        Run all layers, with the residual connections of `config.residual`.

        # Parameters

        inputs : `torch.Tensor`
            Packed by step, see `lstm`. Shape (2, words, projection_dim).
        batch_sizes : `Sequence[int]`
        states : `Sequence[LstmState]`
            One per layer, for `batch_sizes[0]` sequences.

        # Returns

        outputs : `List[torch.Tensor]`
            One per layer. Shape (2, words, projection_dim).
        states : `List[LstmState]`
            One per layer, after each sequence's last step.

        # Raises

        `ValueError` : another number of states than of layers, or states of another shape.
        """
        self._check(states, batch_sizes[0] if batch_sizes else 0)
        outputs: list[torch.Tensor] = []
        final: list[LstmState] = []
        for layer, state in zip(self.layers, states):
            layer_inputs = self.dropout(inputs)
            hidden, last = layer(layer_inputs, batch_sizes, state)
            inputs = hidden + layer_inputs if self.residual and outputs else hidden
            outputs.append(inputs)
            final.append(last)
        return outputs, final

    def _check(self, states: Sequence[LstmState], num_sequences: int) -> None:
        # The compiled loops would read other memory.
        expected = [(2, num_sequences, dim) for dim in self._dims]
        found = [[tuple(tensor.shape) for tensor in state] for state in states]
        if found != [expected] * len(self.layers):
            raise ValueError(
                f"states: expected one per layer, {len(self.layers)}, of the shapes {expected} of "
                f"hidden and cell states, got {found!s:.300}"
            )
