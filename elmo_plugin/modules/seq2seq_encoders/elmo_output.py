"""The Seq2SeqEncoder `elmo_output`: ELMo at a task encoder's output (section 3.3)."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders.seq2seq_encoder import Seq2SeqEncoder


@Seq2SeqEncoder.register("elmo_output")
class ElmoOutputEncoder(Seq2SeqEncoder):
    """
    Computes `[h_k; ELMo_k]` (Peters et al. 2018, section 3.3) in any model. ELMo_k is a slice of
    the input: `encoder` encodes the rest, and the slice is appended to its output.

    Use a separate mix for the slice: the last one of an embedder "elmo" with
    `num_output_representations: 2`, or the only one for a model without ELMo at its input.

    Registered as a `Seq2SeqEncoder` with name "elmo_output".

    # Parameters

    encoder : `Seq2SeqEncoder`
        Encodes the input without the slice.
    start, end : `int`
        Slice of the input's dimensions, `end` excluded.
    embedder_dims : `Dict[str, int]`, optional (default = `None`)
        Dimensions of each of the model's token embedders, by key, to check the slice. The input may
        have more dimensions after those of the embedders.
    dropout : `float`, optional (default = `0.0`)
        Applied to the slice, for models that apply none to the encoder's input.

    # Raises

    `ConfigurationError` : the slice, the embedders and the encoder do not fit.
    """

    def __init__(
        self,
        encoder: Seq2SeqEncoder,
        start: int,
        end: int,
        embedder_dims: Optional[dict[str, int]] = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self._dropout = torch.nn.Dropout(dropout)
        self.start, self.end = start, end
        self._layout = _layout(embedder_dims or {})
        problem = self._problem()
        if problem:
            raise ConfigurationError(f"elmo_output: {problem}. {self._describe()}")

    def get_input_dim(self) -> int:
        return self.encoder.get_input_dim() + self.end - self.start

    def get_output_dim(self) -> int:
        return self.encoder.get_output_dim() + self.end - self.start

    def is_bidirectional(self) -> bool:
        # The two halves of the output are no longer the directions.
        return False

    def forward(
        self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None
    ) -> torch.Tensor:
        """
        Encode x_k, and append ELMo_k to its output: [h_k; ELMo_k] (section 3.3).

        # Parameters

        inputs : `torch.Tensor`
            Shape (batch, tokens, input_dim).
        mask : `torch.BoolTensor`, optional (default = `None`)
            Shape (batch, tokens).

        # Returns

        `torch.Tensor` : Shape (batch, tokens, output_dim).
        """
        if inputs.size(-1) != self.get_input_dim():
            raise ConfigurationError(
                f"elmo_output: expected an input of {self.get_input_dim()} dimensions, "
                f"got {inputs.size(-1)}. {self._describe()}"
            )
        before, elmo, after = inputs.tensor_split((self.start, self.end), dim=-1)
        encoded = self.encoder(torch.cat([before, after], dim=-1), mask)
        return torch.cat([encoded, self._dropout(elmo)], dim=-1)

    def _problem(self) -> Optional[str]:
        if not 0 <= self.start < self.end:
            return "expected 0 <= start < end"
        if self.start > self.encoder.get_input_dim():
            return f"the slice lies outside of the input's {self.get_input_dim()} dimensions"
        spans = self._layout.values()
        if not spans:
            return None
        if max(last for _, last in spans) > self.get_input_dim():
            return f"the embedders give more than the input's {self.get_input_dim()} dimensions"
        if not any(first <= self.start and last == self.end for first, last in spans):
            return "expected a slice that ends where one embedder does, and begins within it"
        return None

    def _describe(self) -> str:
        order = ", ".join(f"{key} [{a}, {b})" for key, (a, b) in self._layout.items())
        return (
            f"The slice is [{self.start}, {self.end}); the encoder takes the other "
            f"{self.encoder.get_input_dim()} dimensions and gives {self.encoder.get_output_dim()}; "
            "embedders are concatenated in the order of their sorted keys: "
            f"{order or 'unknown; set embedder_dims to list them'}"
        )


def _layout(embedder_dims: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Dimensions of each embedder in the output of `BasicTextFieldEmbedder`."""
    layout, first = {}, 0
    for key in sorted(embedder_dims):
        layout[key] = (first, first + embedder_dims[key])
        first += embedder_dims[key]
    return layout
