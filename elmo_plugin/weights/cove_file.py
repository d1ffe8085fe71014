"""Reads CoVe in its published format: the state of one two-layer LSTM."""

from __future__ import annotations

import re
from typing import Any

import torch

from elmo_plugin.layers.cove import Cove
from elmo_plugin.weights.hdf5 import PathLike, check_fit
from elmo_plugin.weights.torch_file import TORCH_FILE_ERRORS, check_entries

_PUBLISHED = re.compile(r"(?P<weight>\w+)_l(?P<layer>[01])(?P<direction>_reverse|)")


def load_cove(path: PathLike) -> Cove:
    """
    Load CoVe from a published file: the MT-LSTM's weights under the names of `torch.nn.LSTM`,
    `weight_ih_l0` to `bias_hh_l1_reverse`. No code in the file is executed.

    # Returns

    `Cove` : with the file's sizes, in evaluation mode.

    # Raises

    `ValueError` : another kind of file, a damaged one, or other keys or shapes than those of two
    bidirectional layers.
    `FileNotFoundError` : no such file.
    """
    state = _read(path)
    sizes = _sizes(state)
    check_fit(state, _expected(*sizes), f"{path} is not a two-layer bidirectional LSTM")
    for key, weight in state.items():
        if not weight.isfinite().all():
            raise ValueError(f"{path}: {key}: expected finite numbers, found NaN or infinity")
    cove = Cove(*sizes)
    name = r"rnns.\g<layer>.\g<weight>_l0\g<direction>"
    cove.load_state_dict({_PUBLISHED.sub(name, key): weight for key, weight in state.items()})
    return cove.eval()


def _read(path: PathLike) -> dict[str, torch.Tensor]:
    try:
        check_entries(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise
    except TORCH_FILE_ERRORS as error:
        raise ValueError(f"{path}: expected weights saved by PyTorch, found: {error}") from error
    if not isinstance(state, dict) or not all(map(_is_plain, state.values())):
        raise ValueError(
            f"{path}: expected tensors by name, all of them in the file, "
            f"found {type(state).__name__}"
        )
    return {str(name): weight for name, weight in state.items()}


def _is_plain(weight: Any) -> bool:
    """Return True for a float tensor whose values are all in the file."""
    return (
        torch.is_tensor(weight)
        and weight.device.type == "cpu"
        and weight.layout == torch.strided
        and weight.is_floating_point()
        and weight.untyped_storage().nbytes() >= weight.nbytes
    )


def _sizes(state: dict[str, torch.Tensor]) -> tuple[int, int]:
    """Input and hidden size; the published ones if the file does not say."""
    found = [state.get(key) for key in ("weight_ih_l0", "weight_hh_l0")]
    shapes = [tuple(w.shape) if w is not None and w.dim() == 2 else (0, 300) for w in found]
    return shapes[0][1], shapes[1][1]


def _expected(input_dim: int, hidden_dim: int) -> dict[str, tuple[int, ...]]:
    gates = 4 * hidden_dim
    return {
        f"{name}_l{layer}{direction}": shape
        for layer, size in enumerate((input_dim, 2 * hidden_dim))
        for direction in ("", "_reverse")
        for name, shape in (
            ("weight_ih", (gates, size)),
            ("weight_hh", (gates, hidden_dim)),
            ("bias_ih", (gates,)),
            ("bias_hh", (gates,)),
        )
    }
