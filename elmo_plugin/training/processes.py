"""The processes of distributed training."""

from __future__ import annotations

from typing import Any

from allennlp.common.checks import ConfigurationError
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


def check_same_checkpoint(directory: str | None, training_state: dict[str, Any] | None) -> None:
    """Raise a `ConfigurationError` if not all processes would resume from the same checkpoint."""
    names = ("epochs_completed", "batches_in_epoch_completed")
    found = gather({name: (training_state or {}).get(name) for name in names})
    if any(each != found[0] for each in found):
        listed = sorted({_file_name(*each.values()) for each in found})
        raise ConfigurationError(
            f"{directory}: expected the same newest checkpoint on all machines, found "
            f"{' and '.join(listed)}; to resume, remove the checkpoints that not all machines have"
        )


def _file_name(epochs: int | None, batches: int | None) -> str:
    return "none" if epochs is None else f"model_state_e{epochs}_b{batches}.th"
