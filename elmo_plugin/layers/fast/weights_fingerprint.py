"""Detects a change of the weights that something was computed with."""

from __future__ import annotations

from collections.abc import Sequence

import torch

_SAMPLES = 64


class WeightsFingerprint:
    """
    Compares weights with those at its construction.

    Detects every change that PyTorch counts (loading, a move to another device or type, a step of
    training), and uncounted changes (`weight.data`, `weight.numpy()`) that reach one of up to 64
    values spread over each weight, as scaling a weight or an optimizer's step does. Does not detect
    a few values that are written without PyTorch's knowledge: clear the cache by hand then.

    # Parameters

    weights : `Sequence[torch.Tensor]`, optional (default = `()`)
    """

    def __init__(self, weights: Sequence[torch.Tensor] = ()) -> None:
        # Detached, they keep the weights' memory, so that no other weights can get this address.
        self._weights = [(w.detach(), w._version) for w in weights]
        self._samples = _samples(weights)

    def matches(self, weights: Sequence[torch.Tensor]) -> bool:
        """Return True if these are the weights, unchanged."""
        now = [(w.data_ptr(), w._version) for w in weights]
        return now == [(w.data_ptr(), version) for w, version in self._weights] and torch.equal(
            _samples(weights), self._samples
        )


def weights_of(module: torch.nn.Module) -> list[torch.Tensor]:
    """Return a module's parameters and buffers."""
    return [*module.parameters(), *module.buffers()]


def _samples(weights: Sequence[torch.Tensor]) -> torch.Tensor:
    flat = [w.detach().reshape(-1) for w in weights]
    # An odd step reaches all columns of a matrix whose number of columns is a power of two.
    parts = [w[:: max(1, -(-len(w) // _SAMPLES)) | 1] for w in flat]
    # Apple's GPUs have no float64.
    parts = [part.float() if part.is_mps else part.double() for part in parts]
    return torch.cat(parts) if parts else torch.empty(0)
