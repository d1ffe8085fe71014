"""The TokenEmbedder `cove`: context vectors of a translation model (sections 5.1 and 5.3)."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.modules.token_embedders.token_embedder import TokenEmbedder

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers.cove import Cove
from elmo_plugin.layers.scalar_mix import MixKind, ScalarMix
from elmo_plugin.weights.cove_file import load_cove


@TokenEmbedder.register("cove")
class CoveTokenEmbedder(TokenEmbedder):
    """
    Runs CoVe over static vectors and returns its top layer (McCann et al. 2017), or a mix of its
    layers. The static vectors are not part of the output: embed them separately.

    Registered as a `TokenEmbedder` with name "cove".

    # Parameters

    embedding : `TokenEmbedder`
        Static vectors, by default of type "embedding"; the published weights expect 300-dimensional
        GloVe.
    weight_file : `str`, optional (default = `None`)
        Path or URL of weights in the published MT-LSTM's format; random weights if `None`.
    dropout : `float`, optional (default = `0.0`)
        Applied to the output in training.
    requires_grad : `bool`, optional (default = `False`)
        Train the LSTMs with the task; frozen otherwise.
    mix : `str` or `int`, optional (default = `"last"`)
        "last": the top layer. "weighted": a learned weighted sum of both layers, as in ELMo
        (equation 1). "average", or a layer, 0 for the lower one.

    # Raises

    `ConfigurationError` : names the file, its keys and shapes.
    """

    def __init__(
        self,
        embedding: TokenEmbedder,
        weight_file: Optional[str] = None,
        dropout: float = 0.0,
        requires_grad: bool = False,
        mix: MixKind = "last",
    ) -> None:
        super().__init__()
        dim = embedding.get_output_dim()
        if weight_file is None:
            cove = Cove(dim)
        else:
            try:
                with configuration_errors():
                    cove = load_cove(cached_path(weight_file))
            except FileNotFoundError as error:
                raise ConfigurationError(f"weight_file {weight_file}: {error}") from error
        if cove.input_dim != dim:
            raise ConfigurationError(
                f"embedding: expected the {cove.input_dim} dimensions that {weight_file} reads, "
                f"got {dim}"
            )
        self._embedding = embedding
        self._cove = cove.requires_grad_(requires_grad)
        self._dropout = torch.nn.Dropout(dropout)
        self._scalar_mix = None
        if mix != "last":
            with configuration_errors():
                self._scalar_mix = ScalarMix(cove.num_layers, mix, trainable=mix == "weighted")

    def get_output_dim(self) -> int:
        return self._cove.output_dim

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """
        Embed words with CoVe: its last layer, or the mix of its layers.

        # Parameters

        tokens : `torch.Tensor`
            From the indexer "single_id", 0 after the end of a sentence. Shape (batch, tokens).

        # Returns

        `torch.Tensor` : Shape (batch, tokens, output_dim).
        """
        mask = tokens != 0
        layers = self._cove(self._embedding(tokens), mask)
        mixed = layers[-1] if self._scalar_mix is None else self._scalar_mix(layers, mask)
        return self._dropout(mixed)
