"""Recording the warm initial state of a biLM from text."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.lstm import LstmState


@torch.no_grad()
def record_warm_state(bilm: Bilm, batches: Iterable[torch.Tensor]) -> None:
    """
    Set a biLM's warm state to the mean of the states after each sentence, where every sentence
    starts from the state after another one.

    # Parameters

    bilm : `Bilm`
    batches : `Iterable[torch.Tensor]`
        Character ids, see `Bilm.forward`. The sentence in a row starts from the state after the
        one in the same row of the batch before, which need not precede it in the text.

    # Raises

    `ValueError` : no sentences.
    """
    training, initial_state = bilm.training, bilm.initial_state
    bilm.eval().initial_state = "carried"
    bilm.forget_carried_state()
    try:
        sums, rows = _sum_states(bilm, batches)
    finally:
        bilm.forget_carried_state()
        bilm.train(training).initial_state = initial_state
    if not rows:
        raise ValueError("batches: expected sentences to record the warm state from, found none")
    for hidden, cell, total in zip(bilm.warm_hidden, bilm.warm_cell, sums):
        hidden.copy_(total.hidden / rows)
        cell.copy_(total.cell / rows)


def _sum_states(bilm: Bilm, batches: Iterable[torch.Tensor]) -> tuple[list[LstmState], int]:
    """Return the sum of the states after each sentence, by layer, and the number of sentences."""
    sums, rows = bilm.zero_states(1), 0
    for batch in batches:
        bilm(batch)
        rows += len(batch)
        for total, state in zip(sums, bilm.carried.states):
            for t, s in zip(total, state):
                t += s[:, : len(batch)].sum(1, keepdim=True)
    return sums, rows
