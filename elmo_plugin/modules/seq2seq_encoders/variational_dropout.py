"""The Seq2SeqEncoder `variational_dropout`: dropout at the input and the output of an encoder."""

from typing import Optional

import torch
from allennlp.modules import InputVariationalDropout
from allennlp.modules.seq2seq_encoders.seq2seq_encoder import Seq2SeqEncoder


@Seq2SeqEncoder.register("variational_dropout")
class VariationalDropoutEncoder(Seq2SeqEncoder):
    """
    Applies variational dropout (Gal and Ghahramani 2016) around an encoder: the same dimensions are
    dropped at all tokens of a sequence. Inside of "elmo_output", the ELMo vectors that bypass the
    encoder bypass its dropout too.

    Registered as a `Seq2SeqEncoder` with name "variational_dropout".

    # Parameters

    encoder : `Seq2SeqEncoder`
    input_dropout : `float`, optional (default = `0.0`)
    output_dropout : `float`, optional (default = `0.0`)
    """

    def __init__(
        self, encoder: Seq2SeqEncoder, input_dropout: float = 0.0, output_dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self._input_dropout = InputVariationalDropout(input_dropout)
        self._output_dropout = InputVariationalDropout(output_dropout)

    def get_input_dim(self) -> int:
        return self.encoder.get_input_dim()

    def get_output_dim(self) -> int:
        return self.encoder.get_output_dim()

    def is_bidirectional(self) -> bool:
        return self.encoder.is_bidirectional()

    def forward(
        self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None
    ) -> torch.Tensor:
        """
        Encode, with dropout before and after.

        # Parameters

        inputs : `torch.Tensor`
            Shape (batch, tokens, input_dim).
        mask : `torch.BoolTensor`, optional (default = `None`)
            Shape (batch, tokens).

        # Returns

        `torch.Tensor` : Shape (batch, tokens, output_dim).
        """
        return self._output_dropout(self.encoder(self._input_dropout(inputs), mask))
