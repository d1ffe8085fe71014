"""State dicts of models that were trained with AllenNLP's classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch


def rename_mixes(state: dict[str, Any], prefix: str) -> None:
    """Join the weights of each mix of an `Elmo`, which AllenNLP stores one by one, in place."""
    name = re.compile(rf"({re.escape(prefix)}scalar_mix_\d+\.scalar_parameters)\.\d+")
    parts: dict[str, dict[int, torch.Tensor]] = {}
    for key in [key for key in state if name.fullmatch(key)]:
        mix, _, layer = key.rpartition(".")
        parts.setdefault(mix, {})[int(layer)] = state.pop(key)
    state.update({key: torch.cat([v for _, v in sorted(p.items())]) for key, p in parts.items()})


def rename_token_encoder(state: dict[str, Any], prefix: str, target: str) -> None:
    """
    Replace the entries of AllenNLP's `_ElmoCharacterEncoder` by those of `CharacterEncoder`, in
    place. AllenNLP keeps a highway's gate with the opposite sign.

    # Parameters

    state : `Dict[str, Any]`
    prefix, target : `str`
        Prefixes of the names of old and new entries.
    """
    for key in [key for key in state if key.startswith(prefix)]:
        module, _, kind = key.removeprefix(prefix).rpartition(".")
        if key == f"{prefix}_char_embedding_weights":
            state[f"{target}characters.weight"] = state.pop(key)
        elif module.startswith("char_conv_"):
            number = module.removeprefix("char_conv_")
            state[f"{target}convolutions.{number}.{kind}"] = state.pop(key)
        elif module.startswith("_highways._layers."):
            highway = f"{target}highways.{module.rpartition('.')[2]}"
            transform, carry = state.pop(key).chunk(2)
            state[f"{highway}.transform.{kind}"] = transform
            state[f"{highway}.carry.{kind}"] = -carry
        elif module == "_projection":
            state[f"{target}projection.{kind}"] = state.pop(key)


def rename_lstm(state: dict[str, Any], prefix: str, target: str) -> None:
    """
    Replace the entries of AllenNLP's `ElmoLstm` by those of `StackedLstm`, in place. AllenNLP has
    another order of gates, and adds 1 to the forget gate's bias when it loads weights, not when it
    uses them.

    # Parameters

    state : `Dict[str, Any]`
    prefix, target : `str`
        Prefixes of the names of old and new entries.
    """
    forward, backward = (f"{prefix}{direction}_layer_" for direction in ("forward", "backward"))
    for key in [key for key in state if key.startswith(forward)]:
        layer, _, name = key.removeprefix(forward).partition(".")
        other = f"{backward}{layer}.{name}"
        # What is incomplete stays, for `load_state_dict` to report.
        if name in _LSTM and other in state:
            ours, convert = _LSTM[name]
            directions = [convert(state.pop(key)), convert(state.pop(other))]
            state[f"{target}layers.{layer}.{ours}"] = torch.stack(directions)


def _reorder(gates: torch.Tensor, forget: float = 0.0) -> torch.Tensor:
    i, f, g, o = gates.chunk(4)
    if forget:  # in float32, where a state dict of lower precision would round the difference
        i, f, g, o = (gate.float() for gate in (i, f, g, o))
    return torch.cat([i, g, f - forget, o])


_LSTM: dict[str, tuple[str, Callable[[torch.Tensor], torch.Tensor]]] = {
    "input_linearity.weight": ("input_weight", lambda weight: _reorder(weight).T),
    "state_linearity.weight": ("recurrent_weight", lambda weight: _reorder(weight).T),
    "state_linearity.bias": ("bias", lambda bias: _reorder(bias, forget=1.0)),
    "state_projection.weight": ("projection", lambda weight: weight.T),
}
