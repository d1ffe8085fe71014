"""Excludes methods from the graphs of `torch.compile`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import torch

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def uncompiled(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Keep a method out of compiled graphs: PyTorch cannot trace numba's loops."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if torch.compiler.is_compiling():
            # Not where the method is defined: this takes seconds to import.
            return torch.compiler.disable(method)(self, *args, **kwargs)
        return method(self, *args, **kwargs)

    return call
