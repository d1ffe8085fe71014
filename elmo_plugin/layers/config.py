"""The sizes of a biLM, checked once."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from elmo_plugin.layers.char_ids import MAX_CHARACTERS, MIN_CHARACTERS

ACTIVATIONS = ("relu", "tanh")

_MAX_COUNT, _MAX_SIZE = 1000, 2**20
_BOUNDS = {
    "character_dim": (1, _MAX_SIZE),
    "max_characters": (MIN_CHARACTERS, MAX_CHARACTERS),
    "num_highways": (0, _MAX_COUNT),
    "projection_dim": (1, _MAX_SIZE),
    "cell_dim": (1, _MAX_SIZE),
    "num_layers": (1, _MAX_COUNT),
}
"""Far beyond any trained biLM: larger sizes are mistakes, found before memory is allocated."""

_FLOAT32_MAX = 3.4e38


@dataclass(frozen=True)
class BilmConfig:
    """
    All sizes and choices that determine a biLM's computation. The defaults are the published
    model's (Peters et al. 2018, section 3.4, and bilm-tf's bin/train_elmo.py).

    # Parameters

    filters : `Tuple[Tuple[int, int], ...]`
        (width in UTF-8 bytes, number of filters) of each character convolution.
    character_dim : `int`, optional (default = `16`)
        Size of a character embedding.
    max_characters : `int`, optional (default = `50`)
        Maximum number of characters per word: UTF-8 bytes and the two word boundaries.
    num_highways : `int`, optional (default = `2`)
    activation : `str`, optional (default = `"relu"`)
        Activation of the convolutions, "relu" or "tanh".
    projection_dim : `int`, optional (default = `512`)
        Size of a token vector and of each direction's LSTM output.
    cell_dim : `int`, optional (default = `4096`)
        Size of an LSTM's memory cell.
    num_layers : `int`, optional (default = `2`)
        LSTM layers in each direction.
    cell_clip, projection_clip : `float` or `None`, optional (default = `3.0`)
        Bounds on the absolute values of memory cells and of LSTM outputs; `None` for no bound.
    residual : `bool`, optional (default = `True`)
        Add the input of every LSTM layer but the first to its output.

    # Raises

    `ValueError` : a value of the wrong type, a size that is not positive or too large (over 1,000
    layers or 2^20 values), or a filter wider than a word; begins with the parameter's name.
    """

    filters: tuple[tuple[int, int], ...] = (
        (1, 32),
        (2, 32),
        (3, 64),
        (4, 128),
        (5, 256),
        (6, 512),
        (7, 1024),
    )
    character_dim: int = 16
    max_characters: int = 50
    num_highways: int = 2
    activation: str = "relu"
    projection_dim: int = 512
    cell_dim: int = 4096
    num_layers: int = 2
    cell_clip: float | None = 3.0
    projection_clip: float | None = 3.0
    residual: bool = True

    def __post_init__(self) -> None:
        for name, bounds in _BOUNDS.items():
            # NumPy's integers become Python's, since JSON cannot store them.
            object.__setattr__(self, name, _whole_number(name, getattr(self, name), *bounds))
        # JSON has lists; tuples keep the dataclass hashable.
        object.__setattr__(self, "filters", _pairs(self.filters, self.max_characters))
        if self.activation not in ACTIVATIONS:
            raise ValueError(
                f"activation: expected one of {ACTIVATIONS}, got {reprlib.repr(self.activation)}"
            )
        for name in ("cell_clip", "projection_clip"):
            # torch does not accept integers of more than 64 bits.
            object.__setattr__(self, name, _clip(name, getattr(self, name)))
        if not isinstance(self.residual, bool):
            raise ValueError(f"residual: expected true or false, got {reprlib.repr(self.residual)}")

    @property
    def num_filters(self) -> int:
        """Number of filters of all widths together, which is the size of the highway layers."""
        return sum(number for _, number in self.filters)


def _whole_number(
    name: str, value: Any, minimum: int, maximum: int, what: str = "a whole number"
) -> int:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (whole and minimum <= value <= maximum):
        raise ValueError(
            f"{name}: expected {what} from {minimum} to {maximum}, got {reprlib.repr(value)}"
        )
    return int(value)


def _pairs(filters: Any, widest: int) -> tuple[tuple[int, int], ...]:
    problem = f"filters: expected a list of (width, number) pairs, got {reprlib.repr(filters)}"
    if not isinstance(filters, (list, tuple)) or not 0 < len(filters) <= _MAX_COUNT:
        raise ValueError(problem)
    pairs = []
    for pair in filters:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(problem)
        width = _whole_number("filters", pair[0], 1, widest, "a width")
        pairs.append((width, _whole_number("filters", pair[1], 1, _MAX_SIZE, "a number")))
    _whole_number("filters", sum(number for _, number in pairs), 1, _MAX_SIZE, "a sum")
    return tuple(pairs)


def _clip(name: str, value: Any) -> float | None:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (number and 0 < value <= _FLOAT32_MAX):
        raise ValueError(
            f"{name}: expected a positive number up to {_FLOAT32_MAX} or none, "
            f"got {reprlib.repr(value)}"
        )
    return None if value is None else float(value)
