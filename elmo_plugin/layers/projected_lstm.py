"""A biLM layer's parameters: one projected LSTM in each direction (section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.lstm import LstmState, LstmWeights


class ProjectedLstm(torch.nn.Module):
    """
    A forward and a backward LSTM layer of equal size that share no parameters (see `lstm` for the
    equations):

        c_t = clip(f * c_{t-1} + i * g)    h_t = clip(W_p (o * tanh(c_t)))

    # Parameters

    input_dim, cell_dim, projection_dim : `int`
    cell_clip, projection_clip : `float`, optional (default = `None`)
        Bounds on absolute values; `None` for no bound.
    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands in training; the weights' own if `None`.
    """

    def __init__(
        self,
        input_dim: int,
        cell_dim: int,
        projection_dim: int,
        cell_clip: float | None = None,
        projection_clip: float | None = None,
        precision: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.precision = precision
        self.input_weight = torch.nn.Parameter(torch.empty(2, input_dim, 4 * cell_dim))
        self.recurrent_weight = torch.nn.Parameter(torch.empty(2, projection_dim, 4 * cell_dim))
        self.bias = torch.nn.Parameter(torch.empty(2, 4 * cell_dim))
        self.projection = torch.nn.Parameter(torch.empty(2, cell_dim, projection_dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize as published: Glorot uniform over the joint kernel, biases 0."""
        _, input_dim, gates = self.input_weight.shape
        _, cell_dim, projection_dim = self.projection.shape
        bound = (6.0 / (input_dim + projection_dim + gates)) ** 0.5
        torch.nn.init.uniform_(self.input_weight, -bound, bound)
        torch.nn.init.uniform_(self.recurrent_weight, -bound, bound)
        torch.nn.init.zeros_(self.bias)
        bound = (6.0 / (cell_dim + projection_dim)) ** 0.5
        torch.nn.init.uniform_(self.projection, -bound, bound)

    def forward(
        self, inputs: torch.Tensor, batch_sizes: Sequence[int], state: LstmState
    ) -> tuple[torch.Tensor, LstmState]:
        """
        Run the layer in both directions.

        # Parameters

        inputs : `torch.Tensor`
            Packed by step, see `lstm`. Shape (2, words, input_dim).
        batch_sizes : `Sequence[int]`
            Number of rows in each step, never rising.
        state : `LstmState`
            Before the first step, for `batch_sizes[0]` sequences.

        # Returns

        outputs : `torch.Tensor`
            Packed like `inputs`. Shape (2, words, projection_dim).
        state : `LstmState`
            State of each sequence after its own last step, detached.
        """
        weights = LstmWeights(self.input_weight, self.recurrent_weight, self.bias, self.projection)
        clips = (self.cell_clip, self.projection_clip)
        precision = self.precision if self.training else None
        return backend.lstm(inputs, weights, state, batch_sizes, clips, precision)
