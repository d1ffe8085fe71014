"""Observes forward passes without hooks, which would turn caches off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def before_forward(module: torch.nn.Module, observe: Callable[[Any], object]) -> None:
    """Call a function with the first input of each forward pass of a module, before the pass."""
    forward = module.forward

    def observed(*inputs: object) -> object:
        observe(inputs[0])
        return forward(*inputs)

    module.forward = observed
