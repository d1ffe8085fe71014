"""The Seq2SeqEncoder `padded_gru`: a bidirectional GRU that trains fast on long texts."""

from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders.seq2seq_encoder import Seq2SeqEncoder
from torch.nn.functional import linear

from elmo_plugin.modules.seq2seq_encoders.gru_recurrence import gru_recurrence


@Seq2SeqEncoder.register("padded_gru")
class PaddedGruEncoder(Seq2SeqEncoder):
    """
    A bidirectional GRU of one layer, with the output of AllenNLP's "gru". That one packs its input,
    and on a CPU the gradient of a packed input takes time quadratic in its length; this one reads
    the padding too, reverses each text for the backward direction, and on CPUs runs both directions
    at a time.

    Registered as a `Seq2SeqEncoder` with name "padded_gru".

    # Parameters

    input_size : `int`
    hidden_size : `int`
        Size in each direction.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self._forward_gru = torch.nn.GRU(input_size, hidden_size, batch_first=True)
        self._backward_gru = torch.nn.GRU(input_size, hidden_size, batch_first=True)

    def get_input_dim(self) -> int:
        return self._forward_gru.input_size

    def get_output_dim(self) -> int:
        return 2 * self._forward_gru.hidden_size

    def is_bidirectional(self) -> bool:
        return True

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        Encode sentences in both directions; the backward one starts at the last token.

        # Parameters

        inputs : `torch.Tensor`
            Shape (batch, tokens, input_size).
        mask : `torch.Tensor`, optional (default = `None`)
            True where there is a token; padding comes last. Without it, there is no padding. Shape
            (batch, tokens).

        # Returns

        `torch.Tensor` : zero at masked positions. Shape (batch, tokens, 2 * hidden_size).
        """
        if mask is None:
            mask = inputs.new_ones(inputs.shape[:2], dtype=torch.bool)
        positions = torch.arange(mask.size(1), device=mask.device).expand_as(mask)
        reverse = torch.where(mask, mask.sum(1, keepdim=True) - 1 - positions, positions)
        if inputs.device.type == "cpu":
            forward, backward = self._recurrence(inputs, reverse)
        else:
            forward, _ = self._forward_gru(inputs)
            backward, _ = self._backward_gru(_gather(inputs, reverse))
        return torch.cat([forward, _gather(backward, reverse)], dim=-1) * mask.unsqueeze(-1)

    def _recurrence(
        self, inputs: torch.Tensor, reverse: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the states of both directions, each of shape (batch, tokens, hidden_size)."""
        grus = self._forward_gru, self._backward_gru
        names = "weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0"
        weight_ih, bias_ih, weight_hh, bias_hh = (
            tuple(gru.get_parameter(name) for gru in grus) for name in names
        )
        forward, backward = (linear(inputs, w, b) for w, b in zip(weight_ih, bias_ih))
        gates = torch.stack([forward, _gather(backward, reverse)]).permute(2, 0, 1, 3)
        gates = gates.to(weight_hh[0].dtype)  # lower under autocast
        states = gru_recurrence(gates, torch.stack(weight_hh), torch.stack(bias_hh))
        return states[:, 0].transpose(0, 1), states[:, 1].transpose(0, 1)


def _gather(vectors: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    return vectors.gather(1, positions.unsqueeze(-1).expand_as(vectors))
