"""AllenNLP's `_ElmoCharacterEncoder`: the token layer alone."""

from __future__ import annotations

from typing import Any

import torch

from elmo_plugin.allennlp_api.checkpoints import rename_token_encoder
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.bilm_output import pad_layers
from elmo_plugin.layers.boundaries import add_boundaries
from elmo_plugin.layers.char_encoder import CharacterEncoder
from elmo_plugin.layers.char_ids import check_ids
from elmo_plugin.layers.uncompiled import uncompiled
from elmo_plugin.pretrained import load_bilm_or_pretrained
from elmo_plugin.weights.hdf5 import PathLike


class _ElmoCharacterEncoder(torch.nn.Module):
    """
    Computes the vectors of words without their context (the token layer), with those of BOS and
    EOS.

    # Parameters

    options_file, weight_file : `str` or `Path`, optional (default = `None`)
        Paths or URLs of a biLM in bilm-tf's format; the built-in biLM if both are `None`.
    requires_grad : `bool`, optional (default = `False`)
        Train the encoder.

    # Raises

    `ValueError` : files that cannot be read or do not fit each other.
    """

    @configuration_errors()
    def __init__(
        self,
        options_file: PathLike | None = None,
        weight_file: PathLike | None = None,
        requires_grad: bool = False,
    ) -> None:
        super().__init__()
        bilm = load_bilm_or_pretrained(options_file, weight_file)
        self._encoder = bilm.token_encoder.requires_grad_(requires_grad)
        self.output_dim = bilm.config.projection_dim
        self._max_characters = bilm.config.max_characters

    def get_output_dim(self) -> int:
        return self.output_dim

    @uncompiled
    @configuration_errors()
    def forward(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        """
        Compute the token layer, with that of the sentence boundaries.

        # Parameters

        inputs : `torch.Tensor`
            Character ids, see `batch_to_ids`. Shape (batch, tokens, characters).

        # Returns

        `Dict[str, torch.Tensor]` : "token_embedding", of shape (batch, tokens + 2, output_dim), and
        "mask", of shape (batch, tokens + 2).
        """
        return encode_with_boundaries(self._encoder, inputs, self._max_characters)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        rename_token_encoder(state_dict, prefix, f"{prefix}_encoder.")
        super()._load_from_state_dict(state_dict, prefix, *rest)


class TokenEmbedderHandle:
    """
    Computes a biLM's token layer, by the names of AllenNLP's `_ElmoCharacterEncoder`.

    # Parameters

    bilm : `Bilm`
    """

    def __init__(self, bilm: Bilm) -> None:
        self._bilm = bilm

    def get_output_dim(self) -> int:
        return self._bilm.config.projection_dim

    @uncompiled
    @configuration_errors()
    def forward(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        """Compute the token layer; see `_ElmoCharacterEncoder.forward`."""
        characters = self._bilm.config.max_characters
        return encode_with_boundaries(self._bilm.token_encoder, inputs, characters)

    __call__ = forward


def encode_with_boundaries(
    encoder: CharacterEncoder, inputs: torch.Tensor, max_characters: int
) -> dict[str, torch.Tensor]:
    """Compute the token layer, with that of the sentence boundaries."""
    mask = check_ids(inputs, max_characters)
    vectors = encoder(add_boundaries(inputs, mask.sum(1)))
    # Shape: (batch, tokens + 2)
    mask = torch.nn.functional.pad(mask, (2, 0), value=True)
    return {"token_embedding": pad_layers([vectors], mask).layers[0], "mask": mask}
