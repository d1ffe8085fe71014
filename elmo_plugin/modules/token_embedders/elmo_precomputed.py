"""The TokenEmbedder `elmo_precomputed`: ELMo from stored activations of its biLM."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.modules.token_embedders.token_embedder import TokenEmbedder

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import Elmo
from elmo_plugin.layers.scalar_mix import LayerNorm, MixKind
from elmo_plugin.modules.token_embedders.projections import Projections
from elmo_plugin.weights.stored_activations import StoredActivations


@TokenEmbedder.register("elmo_precomputed")
class PrecomputedElmoTokenEmbedder(TokenEmbedder):
    """
    Computes what the embedder "elmo" does with a frozen biLM, from activations that `elmo embed`
    stored: only the mixes are learned (Peters et al. 2018, section 3.3).

    Sentences are looked up by the character ids of their tokens, so any reader and model can be
    used. To evaluate a trained model on other sentences, store their activations and pass the file
    with `--overrides`.

    Registered as a `TokenEmbedder` with name "elmo_precomputed".

    # Parameters

    activations_file : `str`
        Path or URL.
    do_layer_norm : `bool` or `str`, optional (default = `False`)
    dropout : `float`, optional (default = `0.5`)
    projection_dim : `int`, optional (default = `None`)
    scalar_mix_parameters : `List[float]`, optional (default = `None`)
    num_output_representations : `int`, optional (default = `1`)
    mix : `str` or `int`, optional (default = `"weighted"`)
    train_gamma : `bool`, optional (default = `True`)
        See the embedder "elmo".

    # Raises

    `ConfigurationError` : names the argument or the file; in `forward`, the sentence that is not in
    the file or has other tokens there.
    """

    def __init__(
        self,
        activations_file: str,
        do_layer_norm: LayerNorm = False,
        dropout: float = 0.5,
        projection_dim: Optional[int] = None,
        scalar_mix_parameters: Optional[list[float]] = None,
        num_output_representations: int = 1,
        mix: MixKind = "weighted",
        train_gamma: bool = True,
    ) -> None:
        super().__init__()
        with configuration_errors():
            layers = StoredActivations(_local_file(activations_file))
            self._elmo = Elmo(
                layers,
                num_output_representations,
                mix,
                do_layer_norm,
                dropout,
                scalar_mix_parameters,
                train_gamma=train_gamma,
            )
        self._projections = Projections(
            num_output_representations, layers.output_dim, projection_dim
        )

    def get_output_dim(self) -> int:
        return self._projections.output_dim

    def forward(self, elmo_tokens: torch.Tensor) -> torch.Tensor:
        """
        Embed tokens with ELMo (equation 1), from the stored layers.

        # Parameters

        elmo_tokens : `torch.Tensor`
            From the indexer "elmo_characters". Shape (batch, ..., tokens, characters).

        # Returns

        `torch.Tensor` : Shape (batch, ..., tokens, output_dim).
        """
        with configuration_errors():
            representations = self._elmo(elmo_tokens)
        return self._projections(representations, elmo_tokens)


def _local_file(activations_file: str) -> str:
    try:
        return cached_path(activations_file)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"activations_file {activations_file}: {error}. `elmo embed` writes it; a trained "
            "model looks for it where its configuration, or --overrides, says."
        ) from error
