"""The state of all random number generators, in a form that a checkpoint can hold."""

import random
from typing import Any, cast

import numpy
import torch

RandomState = dict[str, Any]


def get_random_state(device: torch.device) -> RandomState:
    """
    Return the states of Python's, NumPy's and torch's generators.

    # Parameters

    device : `torch.device`
        Its generator is included, beside the CPU's.
    """
    kind, keys, *rest = cast("tuple[Any, ...]", numpy.random.get_state(legacy=True))
    return {
        "python": random.getstate(),
        "numpy": [kind, keys.tolist(), *rest],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
    }


def set_random_state(state: RandomState, device: torch.device, python: bool = True) -> None:
    """
    Set what `get_random_state` returned. A state from a training on the CPU leaves a GPU's
    generator as it is.

    # Parameters

    python : `bool`, optional (default = `True`)
        Set Python's generator too.
    """
    if python:
        version, numbers, gauss = state["python"]
        random.setstate((version, tuple(numbers), gauss))
    numpy.random.set_state(tuple(state["numpy"]))
    torch.set_rng_state(state["torch"])
    if device.type == "cuda" and state["cuda"] is not None:
        torch.cuda.set_rng_state(state["cuda"], device)
