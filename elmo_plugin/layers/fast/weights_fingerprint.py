"""Detects a change of the weights that something was computed with."""

from __future__ import annotations

from collections.abc import Iterator

import torch

_SAMPLES = 64


class WeightsFingerprint:
    """
    Compares a module's weights with those at its construction.

    Detects every change that PyTorch counts (loading, a move to another device or type, a training
    step), and uncounted changes (`weight.data`, `weight.numpy()`) that reach one of up to 64 values
    spread over each weight, as scaling a weight or an optimizer's step does. Does not detect a few
    values that are written without PyTorch's knowledge: clear the cache by hand then.

    # Parameters

    module : `torch.nn.Module`, optional (default = `None`)
        Its parameters and buffers; `None` for no weights.
    """

    def __init__(self, module: torch.nn.Module | None = None) -> None:
        # Detached, they keep the weights' memory, so that no other weights can get this address.
        weights = [] if module is None else list(_weights(module))
        self._weights = [(w.detach(), w._version) for w in weights]
        self._samples = _samples(weights)

    def matches(self, module: torch.nn.Module) -> bool:
        """Return True if `module` has these weights, unchanged."""
        weights = list(_weights(module))
        now = [(w.data_ptr(), w._version) for w in weights]
        return now == [(w.data_ptr(), version) for w, version in self._weights] and torch.equal(
            _samples(weights), self._samples
        )


def _weights(module: torch.nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()


def _samples(weights: list[torch.Tensor]) -> torch.Tensor:
    flat = [w.detach().reshape(-1) for w in weights]
    parts = [w[:: max(1, -(-len(w) // _SAMPLES))].double() for w in flat]
    return torch.cat(parts) if parts else torch.empty(0)
