"""Caches values computed from weights as long as these do not change."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from elmo_plugin.layers.fast.weights_fingerprint import WeightsFingerprint

Value = TypeVar("Value")


def cached_by_weights(function: Callable[..., Value]) -> Callable[..., Value]:
    """
    Cache the last value of a function of weights, without gradients. The value is dropped with the
    first weight, and when a weight changes, see `WeightsFingerprint`.
    """
    values: WeakTensorKeyDictionary = WeakTensorKeyDictionary()

    @wraps(function)
    def cached(*weights: torch.Tensor) -> Value:
        fingerprint, value = values.get(weights[0], (None, None))
        if fingerprint is None or not fingerprint.matches(weights):
            # The value must serve in any later mode.
            with torch.inference_mode(False), torch.no_grad():
                value = function(*weights)
                # Weights created in inference mode do not count their changes.
                if not any(weight.is_inference() for weight in weights):
                    values[weights[0]] = WeightsFingerprint(weights), value
        return value

    return cached
