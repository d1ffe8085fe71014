"""The processes of distributed training."""

from __future__ import annotations

from typing import Any

from allennlp.common.util import is_distributed
from torch import distributed


def global_rank() -> int:
    """Return this process's number; AllenNLP's trainer knows that on this machine only."""
    return distributed.get_rank() if is_distributed() else 0


def gather(state: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the states of all processes."""
    if not is_distributed():
        return [state]
    states: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(states, state)
    return states
