"""Which weights something was computed with."""

from __future__ import annotations

from collections.abc import Iterator

import torch


class Signature:
    """
    Says whether a module's weights are still those that it was made of: any change of them
    (loading, a move to another device or type, a step of training) is seen.

    # Parameters

    module : `torch.nn.Module`, optional (default = `None`)
        Its parameters and buffers; of `None`, nothing but a module without any is unchanged.
    """

    def __init__(self, module: torch.nn.Module | None = None) -> None:
        # Detached, they share the weights' memory, so that no other weights can come to lie at the
        # same address meanwhile.
        weights = [] if module is None else list(_weights(module))
        self._weights = [(w.detach(), w._version) for w in weights]

    def fits(self, module: torch.nn.Module) -> bool:
        """`module` has the very weights, unchanged."""
        now = [(w.data_ptr(), w._version) for w in _weights(module)]
        return now == [(w.data_ptr(), version) for w, version in self._weights]


def _weights(module: torch.nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()
