"""The Seq2VecEncoder `input_dropout`: dropout at the input of an encoder, such as a CNN."""

from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders.seq2vec_encoder import Seq2VecEncoder


@Seq2VecEncoder.register("input_dropout")
class InputDropoutEncoder(Seq2VecEncoder):
    """
    Applies dropout to the input of an encoder: with the embedder "character_encoding", to the
    embeddings of the characters, where that embedder's own dropout applies to the encoded word.

    Registered as a `Seq2VecEncoder` with name "input_dropout".

    # Parameters

    encoder : `Seq2VecEncoder`
    dropout : `float`
    """

    def __init__(self, encoder: Seq2VecEncoder, dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        self._dropout = torch.nn.Dropout(dropout)

    def get_input_dim(self) -> int:
        return self.encoder.get_input_dim()

    def get_output_dim(self) -> int:
        return self.encoder.get_output_dim()

    def forward(
        self, tokens: torch.Tensor, mask: Optional[torch.BoolTensor] = None
    ) -> torch.Tensor:
        """
        Apply dropout, then encode.

        # Parameters

        tokens : `torch.Tensor`
            Shape (batch, tokens, input_dim).
        mask : `torch.BoolTensor`, optional (default = `None`)
            Shape (batch, tokens).

        # Returns

        `torch.Tensor` : Shape (batch, output_dim).
        """
        return self.encoder(self._dropout(tokens), mask)
