"""The Seq2SeqEncoder `elmo_output`: ELMo beside a task encoder's output (section 3.3)."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders.seq2seq_encoder import Seq2SeqEncoder


@Seq2SeqEncoder.register("elmo_output")
class ElmoOutputEncoder(Seq2SeqEncoder):
    """
    `[h_k; ELMo_k]` (Peters et al. 2018, section 3.3) for any model, registered as "elmo_output".
    ELMo_k comes in with the model's input: a slice of it passes by `encoder`, which encodes the
    rest, and is appended to what `encoder` gives out.

    The slice is best a mix of its own, the last one of an embedder `elmo` with
    `num_output_representations: 2`, or the only one if the input is to be without ELMo.

    # Parameters

    encoder : `Seq2SeqEncoder`
        Of the input without the slice.
    start, end : `int`
        The slice of the input's dimensions, from `start` up to and without `end`.
    embedder_dims : `Dict[str, int]`, optional (default = `None`)
        The dimensions of each of the model's token embedders, by its key: to check the slice. A
        model may have more dimensions after those of its embedders.

    # Raises

    `ConfigurationError` : the slice, the embedders and the encoder do not fit.
    """

    def __init__(
        self,
        encoder: Seq2SeqEncoder,
        start: int,
        end: int,
        embedder_dims: Optional[dict[str, int]] = None,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.start, self.end = start, end
        self._layout = _layout(embedder_dims or {})
        problem = self._problem()
        if problem:
            raise ConfigurationError(f"elmo_output: {problem}. {self._facts()}")

    def get_input_dim(self) -> int:
        return self.encoder.get_input_dim() + self.end - self.start

    def get_output_dim(self) -> int:
        return self.encoder.get_output_dim() + self.end - self.start

    def is_bidirectional(self) -> bool:
        # Even of a bidirectional encoder: the directions are no longer the output's two halves.
        return False

    def forward(
        self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None
    ) -> torch.Tensor:
        """
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
                f"got {inputs.size(-1)}. {self._facts()}"
            )
        before, elmo, after = inputs.tensor_split((self.start, self.end), dim=-1)
        encoded = self.encoder(torch.cat([before, after], dim=-1), mask)
        return torch.cat([encoded, elmo], dim=-1)

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

    def _facts(self) -> str:
        order = ", ".join(f"{key} [{a}, {b})" for key, (a, b) in self._layout.items())
        return (
            f"The slice is [{self.start}, {self.end}); the encoder takes the other "
            f"{self.encoder.get_input_dim()} dimensions and gives {self.encoder.get_output_dim()}; "
            "embedders are concatenated in the order of their sorted keys: "
            f"{order or 'embedder_dims would list them'}"
        )


def _layout(embedder_dims: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Where each embedder's dimensions lie in what `BasicTextFieldEmbedder` gives out."""
    layout, first = {}, 0
    for key in sorted(embedder_dims):
        layout[key] = (first, first + embedder_dims[key])
        first += embedder_dims[key]
    return layout
