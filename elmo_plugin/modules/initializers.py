"""The Initializer `truncated_normal`."""

from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.nn import Initializer


@Initializer.register("truncated_normal")
class TruncatedNormalInitializer(Initializer):
    """
    Draws from a normal distribution, and again where a value is more than two standard deviations
    from the mean, as TensorFlow's `TruncatedNormal` does.

    Registered as an `Initializer` with name "truncated_normal".

    # Parameters

    mean : `float`, optional (default = `0.0`)
    std : `float`, optional (default = `0.05`)
        Standard deviation before truncation.

    # Raises

    `ConfigurationError` : `std` that is not positive.
    """

    def __init__(self, mean: float = 0.0, std: float = 0.05) -> None:
        if not std > 0:
            raise ConfigurationError(f"std: expected a positive number, got {std}")
        self._mean, self._std = mean, std

    def __call__(self, tensor: torch.Tensor, **kwargs: Any) -> None:
        first, last = self._mean - 2 * self._std, self._mean + 2 * self._std
        torch.nn.init.trunc_normal_(tensor, self._mean, self._std, first, last)
