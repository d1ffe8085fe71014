"""Converts between bilm-tf's HDF5 layout and a `Bilm`'s state dict."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from elmo_plugin.layers import BilmConfig
from elmo_plugin.layers.char_ids import NUM_CHARACTERS

Tensors = dict[str, torch.Tensor]

_CNN_PROJECTION = ("CNN_proj/W_proj", "CNN_proj/b_proj")

WARM_STATE = {"warm_hidden": "initial_state/hidden", "warm_cell": "initial_state/cell"}
"""The recorded initial state: optional, and not in bilm-tf's files."""


def to_hdf5(state: Mapping[str, torch.Tensor], config: BilmConfig) -> Tensors:
    """
    Return every dataset of a weight file by path. bilm-tf multiplies vectors from the left, so its
    matrices are transposed; it has no row for masked words; and each LSTM cell has one kernel for
    inputs (first rows) and recurrence (last rows).
    """
    datasets = {"char_embed": state["token_encoder.characters.weight"][1:]}
    for i in range(len(config.filters)):
        convolution = f"token_encoder.convolutions.{i}"
        # Shape: (filters, character_dim, width) -> (1, width, character_dim, filters)
        datasets[f"CNN/W_cnn_{i}"] = state[f"{convolution}.weight"].permute(2, 1, 0).unsqueeze(0)
        datasets[f"CNN/b_cnn_{i}"] = state[f"{convolution}.bias"]
    for ours, theirs in _linears(config).items():
        datasets[theirs[0]] = state[f"{ours}.weight"].T
        datasets[theirs[1]] = state[f"{ours}.bias"]
    for direction in range(2):
        for layer in range(config.num_layers):
            ours, cell = f"lstm.layers.{layer}", _cell(direction, layer)
            kernels = [state[f"{ours}.{name}"][direction] for name in _KERNELS]
            datasets[f"{cell}/W_0"] = torch.cat(kernels)
            datasets[f"{cell}/B"] = state[f"{ours}.bias"][direction]
            datasets[f"{cell}/W_P_0"] = state[f"{ours}.projection"][direction]
    datasets.update({theirs: state[ours].squeeze(2) for ours, theirs in WARM_STATE.items()})
    return datasets


def from_hdf5(datasets: Mapping[str, torch.Tensor], config: BilmConfig) -> Tensors:
    """The inverse of `to_hdf5`."""
    characters = datasets["char_embed"]
    state = {
        "token_encoder.characters.weight": torch.cat([torch.zeros_like(characters[:1]), characters])
    }
    for i in range(len(config.filters)):
        convolution = f"token_encoder.convolutions.{i}"
        state[f"{convolution}.weight"] = datasets[f"CNN/W_cnn_{i}"].squeeze(0).permute(2, 1, 0)
        state[f"{convolution}.bias"] = datasets[f"CNN/b_cnn_{i}"]
    for ours, theirs in _linears(config).items():
        state[f"{ours}.weight"] = datasets[theirs[0]].T
        state[f"{ours}.bias"] = datasets[theirs[1]]
    for layer in range(config.num_layers):
        ours, cells = f"lstm.layers.{layer}", [_cell(direction, layer) for direction in range(2)]
        kernels = torch.stack([datasets[f"{cell}/W_0"] for cell in cells])
        parts = kernels.split([config.projection_dim, config.projection_dim], dim=1)
        state.update({f"{ours}.{name}": part for name, part in zip(_KERNELS, parts)})
        state[f"{ours}.bias"] = torch.stack([datasets[f"{cell}/B"] for cell in cells])
        state[f"{ours}.projection"] = torch.stack([datasets[f"{cell}/W_P_0"] for cell in cells])
    state.update({ours: datasets[theirs].unsqueeze(2) for ours, theirs in WARM_STATE.items()})
    return state


def expected_shapes(config: BilmConfig) -> dict[str, tuple[int, ...]]:
    """Return the shape of every dataset in a weight file, with those of the warm state."""
    filters, projection, cell = config.num_filters, config.projection_dim, config.cell_dim
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (NUM_CHARACTERS - 1, config.character_dim)}
    for i, (width, number) in enumerate(config.filters):
        shapes[f"CNN/W_cnn_{i}"] = (1, width, config.character_dim, number)
        shapes[f"CNN/b_cnn_{i}"] = (number,)
    for weight, bias in _linears(config).values():
        size = projection if weight.startswith("CNN_proj") else filters
        shapes[weight], shapes[bias] = (filters, size), (size,)
    for direction in range(2):
        for layer in range(config.num_layers):
            path = _cell(direction, layer)
            shapes[f"{path}/W_0"] = (2 * projection, 4 * cell)
            shapes[f"{path}/B"] = (4 * cell,)
            shapes[f"{path}/W_P_0"] = (cell, projection)
    for path, size in zip(WARM_STATE.values(), (projection, cell)):
        shapes[path] = (config.num_layers, 2, size)
    return shapes


def optional_paths(config: BilmConfig) -> list[tuple[str, ...]]:
    """
    Return the groups of datasets that a weight file may leave out: the warm state, and, as in
    bilm-tf, projections that do not change the size.
    """
    groups = [tuple(WARM_STATE.values())]
    if config.projection_dim == config.num_filters:
        groups.append(_CNN_PROJECTION)
    # Without a projection, bilm-tf does not clip either, and hidden states are within -1 and 1.
    if config.projection_dim == config.cell_dim and (config.projection_clip or 1) >= 1:
        groups.append(
            tuple(
                f"{_cell(i, layer)}/W_P_0" for i in range(2) for layer in range(config.num_layers)
            )
        )
    return groups


def default_value(path: str, config: BilmConfig) -> torch.Tensor:
    """Return the value of an optional dataset: the identity for a matrix, otherwise zeros."""
    shape = expected_shapes(config)[path]
    return torch.eye(*shape) if len(shape) == 2 else torch.zeros(1).expand(shape)


_KERNELS = ("input_weight", "recurrent_weight")


def _cell(direction: int, layer: int) -> str:
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"


def _linears(config: BilmConfig) -> dict[str, tuple[str, str]]:
    linears = {"token_encoder.projection": _CNN_PROJECTION}
    for k in range(config.num_highways):
        for name in ("carry", "transform"):
            theirs = (f"CNN_high_{k}/W_{name}", f"CNN_high_{k}/b_{name}")
            linears[f"token_encoder.highways.{k}.{name}"] = theirs
    return linears
