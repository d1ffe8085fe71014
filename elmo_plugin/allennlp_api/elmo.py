"""AllenNLP's `Elmo` (`allennlp.modules.elmo.Elmo`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from elmo_plugin.allennlp_api.bilm import _ElmoBiLm
from elmo_plugin.allennlp_api.checkpoints import rename_mixes
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import ScalarMix
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.layers.scalar_mix import LayerNorm
from elmo_plugin.weights.hdf5 import PathLike


class Elmo(torch.nn.Module):
    """
    Computes ELMo representations (equation 1) from character ids, any number from one pass of the
    biLM, each with its own weights and gamma (`scalar_mix_0`, `scalar_mix_1`, ...).

        from elmo_plugin.allennlp_api import Elmo, batch_to_ids

        elmo = Elmo("options.json", "weights.hdf5", num_output_representations=1, dropout=0)
        output = elmo(batch_to_ids([["First", "sentence", "."], ["Another", "."]]))
        output["elmo_representations"][0]  # shape (2, 3, dim)
        output["mask"]  # shape (2, 3)

    Unlike AllenNLP's, a sentence's vectors do not depend on other sentences, see
    `elmo_plugin.allennlp_api`.

    # Parameters

    options_file, weight_file : `str` or `Path`, optional (default = `None`)
        Paths or URLs of a biLM in bilm-tf's format; the built-in biLM if both are `None`.
    num_output_representations : `int`, optional (default = `1`)
    requires_grad : `bool`, optional (default = `False`)
        Train the biLM; frozen otherwise.
    do_layer_norm : `bool` or `str`, optional (default = `False`)
        Normalize the biLM's layers before mixing them: over each sentence, or, if "batch", over the
        whole batch, as AllenNLP does; with BOS and EOS, which the embedder "elmo" leaves out.
    dropout : `float`, optional (default = `0.5`)
        Applied to each representation in training.
    vocab_to_cache : `Sequence[str]`, optional (default = `None`)
        Words to encode together before the first batch. Others are encoded when they first occur;
        vectors are the same.
    keep_sentence_boundaries : `bool`, optional (default = `False`)
        Return the representations of BOS and EOS too: two more tokens per sentence.
    scalar_mix_parameters : `Sequence[float]`, optional (default = `None`)
        Fixed weights of the layers, before the softmax; gamma is then not trained either.
    module : `torch.nn.Module`, optional (default = `None`)
        Replaces the biLM, in place of files: it has `num_layers` and `get_output_dim()`, and
        returns what `_ElmoBiLm` does.
    initial_state : `str`, optional (default = `"zero"`)
        State that each sentence starts from: "zero"; "warm", a state stored with the weights; or
        "carried", the state after the batch before, as in AllenNLP.

    # Raises

    `ValueError` : files that cannot be read or do not fit each other; a wrong number of
    `scalar_mix_parameters`. `ConfigurationError` instead, as in AllenNLP, once that is imported.
    """

    @configuration_errors()
    def __init__(
        self,
        options_file: PathLike | None = None,
        weight_file: PathLike | None = None,
        num_output_representations: int = 1,
        requires_grad: bool = False,
        do_layer_norm: LayerNorm = False,
        dropout: float = 0.5,
        vocab_to_cache: Sequence[str] | None = None,
        keep_sentence_boundaries: bool = False,
        scalar_mix_parameters: Sequence[float] | None = None,
        module: torch.nn.Module | None = None,
        *,
        initial_state: InitialState = "zero",
    ) -> None:
        super().__init__()
        bilm: Any = module
        if module is None:
            files = (options_file, weight_file)
            bilm = _ElmoBiLm(*files, requires_grad, vocab_to_cache, initial_state=initial_state)
        elif options_file is not None or weight_file is not None:
            raise ValueError(
                f"module: expected no files with it, got {options_file} and {weight_file}"
            )
        self._elmo_lstm = bilm
        self._keep_sentence_boundaries = keep_sentence_boundaries
        self._dropout = torch.nn.Dropout(dropout)
        self._num_output_representations = num_output_representations
        for k in range(num_output_representations):
            mix = ScalarMix(
                bilm.num_layers,
                do_layer_norm=do_layer_norm,
                initial_scalar_parameters=scalar_mix_parameters,
                trainable=scalar_mix_parameters is None,
            )
            # AllenNLP's name, which regularizers and groups of an optimizer may refer to.
            self.add_module(f"scalar_mix_{k}", mix)

    @classmethod
    def from_params(cls, params: Any, **extras: Any) -> Elmo:
        """Construct from AllenNLP's `Params`, as it does for an argument of this type."""
        # Not at the top, since AllenNLP need not be installed.
        from allennlp.common.from_params import create_kwargs

        constructor: Any = cls
        return cls(**create_kwargs(constructor, constructor, params, **extras))

    def get_output_dim(self) -> int:
        """Size of each representation."""
        return self._elmo_lstm.get_output_dim()

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        rename_mixes(state_dict, prefix)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    @property
    def _scalar_mixes(self) -> list[Any]:
        # AllenNLP's models look here how many there are.
        return [getattr(self, f"scalar_mix_{k}") for k in range(self._num_output_representations)]

    def forward(
        self, inputs: torch.Tensor, word_inputs: torch.Tensor | None = None
    ) -> dict[str, Any]:
        """
        Compute ELMo (equation 1) for each mix.

        # Parameters

        inputs : `torch.Tensor`
            Character ids, see `batch_to_ids`. Shape (..., tokens, characters); dimensions before
            the tokens count as one batch.
        word_inputs : `torch.Tensor`, optional (default = `None`)
            Ignored, but passed to `module`: AllenNLP looks cached words up by these ids, this class
            by their characters. Shape (..., tokens).

        # Returns

        `Dict[str, Any]` : "elmo_representations", a list with one tensor per mix, each of shape
        (..., tokens, dim), zero at masked positions, and "mask", of shape (..., tokens).
        """
        *outer, tokens, characters = inputs.shape
        rows = math.prod(outer)
        if word_inputs is not None:
            word_inputs = word_inputs.reshape(rows, tokens)
        output = self._elmo_lstm(inputs.reshape(rows, tokens, characters), word_inputs)
        mask = output["mask"]
        layers = torch.stack(output["activations"])
        mixed = [mix(layers, mask) for mix in self._scalar_mixes]
        if not self._keep_sentence_boundaries:
            # BOS is before the first token, and EOS at the first position that is masked now.
            mask = mask[:, 2:]
            mixed = [m[:, 1:-1] * mask.unsqueeze(-1) for m in mixed]
        return {
            "elmo_representations": [self._dropout(m).view(*outer, *m.shape[1:]) for m in mixed],
            "mask": mask.reshape(*outer, mask.size(1)),
        }
