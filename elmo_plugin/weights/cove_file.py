"""Reading and writing CoVe as its authors published it: the state of one two-layer LSTM."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import torch

from elmo_plugin.layers.cove import Cove
from elmo_plugin.weights.bilm_file import PathLike, check_fit
from elmo_plugin.weights.whole_file import whole_file

_PUBLISHED = re.compile(r"(?P<weight>\w+)_l(?P<layer>[01])(?P<direction>_reverse|)")
_OURS = re.compile(r"rnns\.(?P<layer>[01])\.(?P<weight>\w+)_l0(?P<direction>_reverse|)")


def load_cove(path: PathLike) -> Cove:
    """
    CoVe from a published file: the MT-LSTM's weights under the names of `torch.nn.LSTM`,
    `weight_ih_l0` to `bias_hh_l1_reverse`. Nothing in the file is executed.

    # Returns

    `Cove` : of the file's sizes, in evaluation mode.

    # Raises

    `ValueError` : another file, or keys or shapes that are not those of two bidirectional layers.
    `FileNotFoundError` : as it says.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise ValueError(f"{path}: expected weights saved by PyTorch, found: {error}") from error
    if not isinstance(state, dict) or not all(map(torch.is_tensor, state.values())):
        raise ValueError(f"{path}: expected tensors by name, found {type(state).__name__}")
    cove = Cove(*_sizes(state))
    expected = {k: tuple(v.shape) for k, v in _published(cove).items()}
    check_fit(state, expected, f"{path} is no two-layer bidirectional LSTM")
    name = r"rnns.\g<layer>.\g<weight>_l0\g<direction>"
    cove.load_state_dict({_PUBLISHED.sub(name, key): weight for key, weight in state.items()})
    return cove.eval()


def save_cove(cove: Cove, path: PathLike) -> None:
    """The inverse of `load_cove`."""
    with whole_file(path) as file:
        torch.save(_published(cove), Path(file))


def _sizes(state: dict[str, torch.Tensor]) -> tuple[int, int]:
    """Input and hidden size, the published ones where the file does not tell."""
    found = [state.get(key) for key in ("weight_ih_l0", "weight_hh_l0")]
    shapes = [tuple(w.shape) if w is not None and w.dim() == 2 else (0, 300) for w in found]
    return shapes[0][1], shapes[1][1]


def _published(cove: Cove) -> dict[str, torch.Tensor]:
    name = r"\g<weight>_l\g<layer>\g<direction>"
    return {_OURS.sub(name, key): weight for key, weight in cove.state_dict().items()}
