"""Losses of an epoch that may have been interrupted."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from allennlp.nn.util import dist_reduce_sum

_NAMES = ("loss", "reg_loss")


class EpochLosses:
    """
    The sums of an epoch's losses over its updates, which a checkpoint holds. AllenNLP divides the
    loss since the interruption by the number of all updates.
    """

    def __init__(self) -> None:
        self.sums: dict[str, float] = {}

    def add(self, outputs: Mapping[str, torch.Tensor], num_batches: int) -> None:
        """Add a batch's losses, divided by the number of batches in its update."""
        for name in _NAMES:
            if name in outputs:
                value = outputs[name].item() / num_batches
                self.sums[name] = self.sums.get(name, 0.0) + value

    def end_epoch(self, num_updates: int) -> dict[str, float]:
        """Return the means, over all processes, and start with the next epoch."""
        sums, self.sums = self.sums, {}
        updates = dist_reduce_sum(num_updates)
        return {name: dist_reduce_sum(sums[name]) / updates for name in _NAMES if name in sums}
