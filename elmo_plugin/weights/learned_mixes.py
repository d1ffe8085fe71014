"""Reads the weights of scalar mixes from a trained model's state dict (section 5.5, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch


class Mix(NamedTuple):
    """The values of one `ScalarMix` (equation 1)."""

    name: str
    """Its name in the model, as in `text_field_embedder...scalar_mixes.0`."""
    weights: list[float]
    """The normalized s_j, starting with the token layer."""
    gamma: float


def find_mixes(state: Mapping[str, torch.Tensor]) -> list[Mix]:
    """
    Find every scalar mix in a model's weights, of this package's ELMo and of AllenNLP's.

    # Parameters

    state : `Mapping[str, torch.Tensor]`
        A model's `state_dict()`.

    # Returns

    `List[Mix]` : sorted by name.

    # Raises

    `ValueError` : a mix without one weight per layer and one gamma; names it.
    """
    names = sorted(key.removesuffix(".gamma") for key in state if key.endswith(".gamma"))
    found = [(name, _weights(state, name)) for name in names]
    return [
        _mix(name, weights, state[f"{name}.gamma"])
        for name, weights in found
        if weights is not None
    ]


def _mix(name: str, weights: torch.Tensor, gamma: torch.Tensor) -> Mix:
    if weights.dim() != 1 or gamma.numel() != 1:
        shapes = f"{tuple(weights.shape)} and {tuple(gamma.shape)}"
        raise ValueError(f"{name}: expected a weight for each layer and one gamma, found {shapes}")
    return Mix(name, weights.tolist(), gamma.item())


def _weights(state: Mapping[str, torch.Tensor], name: str) -> torch.Tensor | None:
    if f"{name}.fixed_weights" in state:
        return state[f"{name}.fixed_weights"]
    learned = f"{name}.scalar_parameters"
    if learned in state:
        return torch.softmax(state[learned].float(), dim=0)
    # AllenNLP stores one parameter per layer.
    single = [key for key in state if key.startswith(f"{learned}.")]
    if not single:
        return None
    single.sort(key=lambda key: int(key.rsplit(".", 1)[1]))
    return torch.softmax(torch.cat([state[key].float() for key in single]), dim=0)
