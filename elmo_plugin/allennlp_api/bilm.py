"""AllenNLP's `_ElmoBiLm`: all layers of a biLM, with sentence boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from elmo_plugin.allennlp_api.character_encoder import TokenEmbedderHandle
from elmo_plugin.allennlp_api.checkpoints import rename_lstm, rename_token_encoder
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.layers.words_to_cache import WordsToCache
from elmo_plugin.pretrained import load_bilm_or_pretrained
from elmo_plugin.weights.hdf5 import PathLike
from elmo_plugin.weights.layout import WARM_STATE


class _ElmoBiLm(torch.nn.Module):
    """
    Computes the layers that `Elmo` mixes, with those of BOS and EOS.

    # Parameters

    options_file, weight_file : `str` or `Path`, optional (default = `None`)
        Paths or URLs of a biLM in bilm-tf's format; the built-in biLM if both are `None`.
    requires_grad : `bool`, optional (default = `False`)
        Train the biLM.
    vocab_to_cache : `Sequence[str]`, optional (default = `None`)
        Words to encode together before the first batch. Others are encoded when they first occur;
        vectors are the same.
    initial_state : `str`, optional (default = `"zero"`)
        State that each sentence starts from: "zero", "warm" or "carried"; see `Bilm`.

    # Raises

    `ValueError` : files that cannot be read or do not fit each other.
    """

    @configuration_errors()
    def __init__(
        self,
        options_file: PathLike | None = None,
        weight_file: PathLike | None = None,
        requires_grad: bool = False,
        vocab_to_cache: Sequence[str] | None = None,
        *,
        initial_state: InitialState = "zero",
    ) -> None:
        super().__init__()
        bilm = load_bilm_or_pretrained(options_file, weight_file, initial_state)
        self._bilm = bilm.requires_grad_(requires_grad)
        self._elmo_lstm = ElmoLstmHandle(bilm)
        self._token_embedder = TokenEmbedderHandle(bilm)
        # Nothing is cached while the weights may change.
        self._words_to_cache = WordsToCache(None if requires_grad else vocab_to_cache)

    @property
    def num_layers(self) -> int:
        """Number of layers, the token layer included."""
        return self._bilm.mixture_size

    @property
    def max_characters(self) -> int:
        """Characters per word in `forward`'s input."""
        return self._bilm.config.max_characters

    def get_output_dim(self) -> int:
        return self._bilm.output_dim

    @configuration_errors()
    def forward(
        self, inputs: torch.Tensor, word_inputs: torch.Tensor | None = None
    ) -> dict[str, Any]:
        """
        Compute all layers, with those of the sentence boundaries.

        # Parameters

        inputs : `torch.Tensor`
            Character ids, see `batch_to_ids`. Shape (batch, tokens, characters).
        word_inputs : `torch.Tensor`, optional (default = `None`)
            Ignored: AllenNLP looks cached words up by these ids, this class by their characters.

        # Returns

        `Dict[str, Any]` : "activations", a list of the layers, each of shape
        (batch, tokens + 2, dim), and "mask", of shape (batch, tokens + 2).
        """
        self._words_to_cache.encode(self._bilm, inputs.device)
        output = self._bilm(inputs, keep_boundaries=True)
        return {"activations": list(output.layers), "mask": output.mask}

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        if f"{prefix}_token_embedder._char_embedding_weights" in state_dict:
            ours = f"{prefix}_bilm."
            rename_token_encoder(state_dict, f"{prefix}_token_embedder.", f"{ours}token_encoder.")
            rename_lstm(state_dict, f"{prefix}_elmo_lstm.", f"{ours}lstm.")
            state_dict.pop(f"{prefix}_word_embedding.weight", None)
            for name in WARM_STATE:  # which AllenNLP does not have
                state_dict[f"{ours}{name}"] = getattr(self._bilm, name)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class ElmoLstmHandle:
    """
    Switches a biLM's carried state on and off, by the names of AllenNLP's `ElmoLstm`.

    # Parameters

    bilm : `Bilm`
    """

    def __init__(self, bilm: Bilm) -> None:
        self._bilm = bilm

    @property
    def stateful(self) -> bool:
        """True if each batch starts from the state after the previous one."""
        return self._bilm.initial_state == "carried"

    @stateful.setter
    def stateful(self, stateful: bool) -> None:
        self.reset_states()
        if stateful != self.stateful:
            self._bilm.initial_state = "carried" if stateful else "zero"

    def reset_states(self) -> None:
        """Start the next batch from the zero state."""
        self._bilm.forget_carried_state()
