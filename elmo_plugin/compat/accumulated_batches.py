"""The batches whose gradients a trainer accumulates for one update."""

from typing import Any


def batches_in_update(trainer: Any) -> int:
    """Return the number of batches in the present update of AllenNLP's `GradientDescentTrainer`."""
    steps: int = trainer._num_gradient_accumulation_steps
    if steps == 1:
        return 1
    try:
        batches = len(trainer.data_loader)
    except TypeError:  # not known before the end
        return steps
    # The last update of an epoch may have fewer.
    return min(steps, batches - steps * trainer._batches_in_epoch_completed)
