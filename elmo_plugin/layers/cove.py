"""CoVe: context vectors from a translation model's encoder (McCann et al. 2017)."""

from __future__ import annotations

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Cove(torch.nn.Module):
    """
    A two-layer bidirectional LSTM over static word vectors (McCann et al. 2017, section 3), to
    which Peters et al. 2018 compare the biLM in Tables 5 and 6.

    # Parameters

    input_dim : `int`, optional (default = `300`)
        Size of the static vectors.
    hidden_dim : `int`, optional (default = `300`)
        Size of each layer in each direction.
    """

    def __init__(self, input_dim: int = 300, hidden_dim: int = 300) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.hidden_dim = hidden_dim
        self.rnns = torch.nn.ModuleList(
            torch.nn.LSTM(dim, hidden_dim, batch_first=True, bidirectional=True)
            for dim in (input_dim, 2 * hidden_dim)
        )

    @property
    def num_layers(self) -> int:
        """Number of LSTM layers."""
        return len(self.rnns)

    @property
    def output_dim(self) -> int:
        """Size of a token's vector in each layer, both directions together."""
        return 2 * self.hidden_dim

    def forward(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Compute both layers.

        # Parameters

        vectors : `torch.Tensor`
            Shape (batch, tokens, input_dim).
        mask : `torch.Tensor`
            True where there is a token, without holes. Shape (batch, tokens).

        # Returns

        `torch.Tensor` : both layers, zero at masked positions. Shape
        (2, batch, tokens, output_dim).

        # Raises

        `ValueError` : vectors of another size.
        """
        if vectors.size(-1) != self.input_dim:
            raise ValueError(
                f"vectors: expected {self.input_dim} dimensions, got {vectors.size(-1)}"
            )
        if not mask.numel():
            return vectors.new_zeros(len(self.rnns), *mask.shape, self.output_dim)
        # An empty row is read as one token, which the mask then removes.
        lengths = mask.sum(1).clamp(min=1).cpu()
        layers = []
        for rnn in self.rnns:
            packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
            vectors, _ = pad_packed_sequence(
                rnn(packed)[0], batch_first=True, total_length=mask.size(1)
            )
            layers.append(vectors * mask.unsqueeze(-1))
        return torch.stack(layers)
