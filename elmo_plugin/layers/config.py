"""The sizes of a biLM, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ACTIVATIONS = ("relu", "tanh")

_LEAST = {
    "character_dim": 1,
    "max_characters": 3,
    "num_highways": 0,
    "projection_dim": 1,
    "cell_dim": 1,
    "num_layers": 1,
}


@dataclass(frozen=True)
class BilmConfig:
    """
    Everything that determines the shapes and the arithmetic of a biLM. The defaults are the
    published model's (Peters et al. 2018, section 3.4).

    # Parameters

    filters : `Tuple[Tuple[int, int], ...]`
        (width in characters, number of filters) of each character convolution.
    character_dim : `int`, optional (default = `16`)
        Size of a character embedding.
    max_characters : `int`, optional (default = `50`)
        Characters (UTF-8 bytes and the two word boundaries) kept of each word.
    num_highways : `int`, optional (default = `2`)
    activation : `str`, optional (default = `"relu"`)
        Of the convolutions: "relu" or "tanh".
    projection_dim : `int`, optional (default = `512`)
        Size of a token vector and of each direction's LSTM output.
    cell_dim : `int`, optional (default = `4096`)
        Size of an LSTM's memory cell.
    num_layers : `int`, optional (default = `2`)
        LSTM layers in each direction.
    cell_clip, projection_clip : `float` or `None`, optional (default = `3.0`)
        Bound on the absolute value of memory cells and of LSTM outputs; `None` for no bound.
    residual : `bool`, optional (default = `True`)
        Add its input to the output of every LSTM layer but the first.

    # Raises

    `ValueError` : a value of the wrong type, a size that is not positive, or a filter wider than a
    word; starts with the parameter's name.
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
        for name, least in _LEAST.items():
            _check_whole_number(name, getattr(self, name), least)
        # Jsonnet and JSON give lists; tuples keep the dataclass hashable and comparable.
        object.__setattr__(self, "filters", _pairs(self.filters, self.max_characters))
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation: expected one of {ACTIVATIONS}, got {self.activation!r}")
        for name in ("cell_clip", "projection_clip"):
            _check_clip(name, getattr(self, name))
        if not isinstance(self.residual, bool):
            raise ValueError(f"residual: expected true or false, got {self.residual!r}")

    @property
    def num_filters(self) -> int:
        """Filters of all widths together: the size of the highway layers."""
        return sum(number for _, number in self.filters)


def _check_whole_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}: expected a whole number, at least {least}, got {value!r}")


def _pairs(filters: Any, widest: int) -> tuple[tuple[int, int], ...]:
    problem = f"filters: expected a list of (width, number) pairs, got {filters!r}"
    if not isinstance(filters, (list, tuple)) or not filters:
        raise ValueError(problem)
    for pair in filters:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(problem)
        for value in pair:
            _check_whole_number("filters", value, 1)
        if pair[0] > widest:
            raise ValueError(f"filters: expected widths up to {widest}, got {pair[0]}")
    return tuple((width, number) for width, number in filters)


def _check_clip(name: str, value: Any) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (number and value > 0):
        raise ValueError(f"{name}: expected a positive number or none, got {value!r}")
