"""The TokenEmbedder `elmo_precomputed`: ELMo without its biLM, whose layers a file holds."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.modules.token_embedders.token_embedder import TokenEmbedder

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import Elmo
from elmo_plugin.layers.scalar_mix import MixKind
from elmo_plugin.modules.token_embedders.projections import Projections
from elmo_plugin.weights.stored_activations import StoredActivations


@TokenEmbedder.register("elmo_precomputed")
class PrecomputedElmoTokenEmbedder(TokenEmbedder):
    """
    What the embedder "elmo" gives with a frozen biLM, from layers that `elmo embed` stored (Peters
    et al. 2018, section 3.2): the mixes alone are learned. Registered as "elmo_precomputed".

    A sentence is known by the character ids of its tokens, so that any reader and model serve. To
    score or tag other sentences with a trained model, store theirs and give their file with
    `--overrides`.

    # Parameters

    activations_file : `str`
        Path or URL.
    do_layer_norm : `bool`, optional (default = `False`)
    dropout : `float`, optional (default = `0.5`)
    projection_dim : `int`, optional (default = `None`)
    scalar_mix_parameters : `List[float]`, optional (default = `None`)
    num_output_representations : `int`, optional (default = `1`)
    mix : `str` or `int`, optional (default = `"weighted"`)
        These are the embedder "elmo"'s.

    # Raises

    `ConfigurationError` : names the argument or the file; when embedding, the sentence that is not
    in the file or has other tokens there.
    """

    def __init__(
        self,
        activations_file: str,
        do_layer_norm: bool = False,
        dropout: float = 0.5,
        projection_dim: Optional[int] = None,
        scalar_mix_parameters: Optional[list[float]] = None,
        num_output_representations: int = 1,
        mix: MixKind = "weighted",
    ) -> None:
        super().__init__()
        with configuration_errors():
            layers = StoredActivations(_found(activations_file))
            self._elmo = Elmo(
                layers,
                num_output_representations,
                mix,
                do_layer_norm,
                dropout,
                scalar_mix_parameters,
            )
        self._projections = Projections(
            num_output_representations, layers.output_dim, projection_dim
        )

    def get_output_dim(self) -> int:
        return self._projections.output_dim

    def forward(self, elmo_tokens: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        elmo_tokens : `torch.Tensor`
            From the indexer "elmo_characters". Shape (batch, ..., tokens, characters).

        # Returns

        `torch.Tensor` : Shape (batch, ..., tokens, output_dim).
        """
        with configuration_errors():
            representations = self._elmo(elmo_tokens)
        return self._projections(representations)


def _found(activations_file: str) -> str:
    try:
        return cached_path(activations_file)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"activations_file {activations_file}: {error}. `elmo embed` writes it; a trained "
            "model looks for it where its configuration says, or where --overrides does."
        ) from error
