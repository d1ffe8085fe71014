"""Our own layers by their definitions alone: the plain loop, without any fast path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights, lstm
from elmo_plugin.layers.sampled_cross_entropy import sampled_cross_entropy


@contextmanager
def plain_layers() -> Iterator[None]:
    """Compute all layers by their definitions; frozen biLMs that exist keep their word caches."""
    with patch.multiple(backend, **_DEFINITIONS):
        yield


def _plain_lstm(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
) -> tuple[torch.Tensor, LstmState]:
    assert precision is None
    return lstm(inputs, weights, state, batch_sizes, clips)


def _plain_convolution(
    definition: Callable[[torch.Tensor], torch.Tensor],
    embedding: torch.Tensor,
    convolutions: Sequence[torch.nn.Conv1d],
    character_ids: torch.Tensor,
) -> torch.Tensor:
    return definition(character_ids)


_DEFINITIONS: dict[str, Any] = {
    "lstm": _plain_lstm,
    "convolve": _plain_convolution,
    "linear": torch.nn.functional.linear,
    "sampled_cross_entropy": sampled_cross_entropy,
    "unique_words": lambda words: (words, torch.arange(len(words), device=words.device)),
}
