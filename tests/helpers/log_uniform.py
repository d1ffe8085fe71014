"""The log-uniform distribution in NumPy."""

from __future__ import annotations

import numpy
import torch

CPU = torch.device("cpu")


def log_uniform_probabilities(words: int) -> numpy.ndarray:
    """Probabilities as TensorFlow documents its log-uniform candidate sampler."""
    rank = numpy.arange(words)
    return (numpy.log(rank + 2) - numpy.log(rank + 1)) / numpy.log(words + 1)
