"""A tokenized sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class Sentence(NamedTuple):
    """A tokenized sentence, with its character ids if a dataset reader has computed them."""

    tokens: Sequence[str]
    character_ids: torch.Tensor | None = None
    """Shape (tokens, characters)."""
