"""An LSTM layer with projected output, both directions side by side (Sak et al. 2014)."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from elmo_plugin.layers.fast.compiled import is_compiled_for

from elmo_plugin.layers.fast.recurrence import LstmState, LstmWeights, recurrence


class ProjectedLstm(torch.nn.Module):
    """
    A forward and a backward LSTM layer of equal size that share nothing but the clock. The cell
    state is clipped, then the output is projected and clipped again:

        i, f, o = sigmoid(...)    c = clip(f * c' + i * tanh(...))    h = clip(W_p (o * tanh(c)))

    # Parameters

    input_dim, cell_dim, projection_dim : `int`
    cell_clip, projection_clip : `float`, optional (default = `None`)
        Bounds on absolute values; `None` for no bound.
    precision : `torch.dtype`, optional (default = `None`)
        Type of the operands of matrix products in training; the weights' own if `None`.
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
        """As published: Glorot uniform over the joint input and recurrent kernel, biases 0."""
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
        # Parameters

        inputs : `torch.Tensor`
            Both directions, packed by step: the rows of step 0, then those of step 1, and so on.
            A sequence keeps its place in every step. Shape (2, words, input_dim).
        batch_sizes : `Sequence[int]`
            Rows of each step, never rising: longer sequences come first.
        state : `LstmState`
            Before the first step, for `batch_sizes[0]` sequences.

        # Returns

        outputs : `torch.Tensor`
            Packed like `inputs`. Shape (2, words, projection_dim).
        state : `LstmState`
            Of each sequence after its own last step, outside of any autograd graph.
        """
        weights = LstmWeights(self.input_weight, self.recurrent_weight, self.bias, self.projection)
        clips = (self.cell_clip, self.projection_clip)
        precision = self.precision if self.training else None
        if is_compiled_for(inputs, *weights, *state):
            from elmo_plugin.layers.fast.compiled_lstm import compiled_recurrence

            return compiled_recurrence(inputs, weights, state, batch_sizes, clips, precision)
        return recurrence(inputs, weights, state, batch_sizes, clips, precision)
