"""Counts the operations of a biLM's matrix products, and how many of them the machine can do."""

from __future__ import annotations

import statistics
from functools import partial

import torch
from rounds import time_over

from elmo_plugin.layers import BilmConfig
from elmo_plugin.layers.fast.matmul import can_multiply, matmul, packed

_MATRIX, _MATRIX_ON_GPU = 2048, 8192


def matrix_rate(dtype: torch.dtype, device: str = "cpu") -> float:
    """
    Return the operations per second of the fastest product of two square matrices: `torch.mm`, or
    oneDNN's with a packed matrix.
    """
    size = _MATRIX if device == "cpu" else _MATRIX_ON_GPU
    first, second = (torch.randn(size, size).to(device, dtype) for _ in range(2))
    matrices = [second, packed(second)] if can_multiply(second) else [second]
    return max(
        2
        * size**3
        / statistics.median(time_over(partial(matmul, first), [matrix]) for _ in range(20))
        for matrix in matrices
    )


def lstm_operations(config: BilmConfig) -> int:
    """Both directions' LSTM layers, per token or sentence boundary."""
    cell = 4 * config.cell_dim * 2 * config.projection_dim + config.cell_dim * config.projection_dim
    return 2 * 2 * config.num_layers * cell


def steps_per_token(tokens: int, sentences: int) -> float:
    """Return the steps of an LSTM per token: it reads both boundaries of each sentence too."""
    return (tokens + 2 * sentences) / tokens


def step_operations(
    config: BilmConfig, targets: int, word_lengths: torch.Tensor, num_samples: int
) -> int:
    """
    The products of a training step: forward, and for the backward pass twice as many. Convolutions
    are counted where a window sees a character, and in the backward pass at the maximum only.

    # Parameters

    targets : `int`
        Words that each direction predicts.
    word_lengths : `torch.Tensor`
        Characters of each distinct word. Shape (words,).
    """
    words = len(word_lengths)
    highways = config.num_highways * 2 * config.num_filters**2
    projection = config.num_filters * config.projection_dim
    softmax = 2 * 2 * num_samples * config.projection_dim
    products = targets * (lstm_operations(config) + softmax) + words * 2 * (highways + projection)
    convolutions = 0
    for width, number in config.filters:
        positions = word_lengths.clamp(max=config.max_characters - width + 1).sum()
        per_position = 2 * width * config.character_dim * number
        convolutions += per_position * (int(positions) + 2 * words)
    return 3 * products + convolutions
