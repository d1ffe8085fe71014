"""The sizes of a biLM, checked once."""

from __future__ import annotations

from dataclasses import dataclass

ACTIVATIONS = ("relu", "tanh")


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

    `ValueError` : a size that is not positive, or a filter wider than a word.
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
        # Jsonnet and JSON give lists; tuples keep the dataclass hashable and comparable.
        object.__setattr__(self, "filters", tuple((int(w), int(n)) for w, n in self.filters))
        if not self.filters:
            raise ValueError("filters: expected at least one (width, number) pair, got none")
        for width, number in self.filters:
            if not 1 <= width <= self.max_characters or number < 1:
                raise ValueError(
                    f"filters: expected a width from 1 to {self.max_characters} and a positive "
                    f"number, got ({width}, {number})"
                )
        for name in ("character_dim", "projection_dim", "cell_dim", "num_layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected at least 1, got {getattr(self, name)}")
        if self.num_highways < 0:
            raise ValueError(f"num_highways: expected at least 0, got {self.num_highways}")
        if self.max_characters < 3:
            raise ValueError(f"max_characters: expected at least 3, got {self.max_characters}")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation: expected one of {ACTIVATIONS}, got {self.activation!r}")
        for name in ("cell_clip", "projection_clip"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                raise ValueError(
                    f"{name}: expected a positive number or none, got {getattr(self, name)}"
                )

    @property
    def num_filters(self) -> int:
        """Filters of all widths together: the size of the highway layers."""
        return sum(number for _, number in self.filters)
