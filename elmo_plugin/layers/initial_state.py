"""The state that a biLM's LSTMs start each sentence from: zero, warm, or carried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch

from elmo_plugin.layers.lstm import LstmState

InitialState = Literal["zero", "warm", "carried"]


class CarriedState:
    """State that the last batch left in each of its rows, for the next batch to start from."""

    def __init__(self) -> None:
        self.states: list[LstmState] = []
        """One per layer, rows in the order of the batch; empty before the first batch."""

    def start(self, zero: Sequence[LstmState], order: torch.Tensor) -> list[LstmState]:
        """
        Return the state to start a batch from, zero in rows that no batch has reached.

        # Parameters

        zero : `Sequence[LstmState]`
            The zero state for the batch, one per layer.
        order : `torch.Tensor`
            Rows of the batch in packed order. Shape (batch,).
        """
        if not self.states:
            return list(zero)
        rows = [_take_rows(old, new) for old, new in zip(self.states, zero)]
        return [LstmState(*(s[:, order] for s in state)) for state in rows]

    def update(self, states: Sequence[LstmState], order: torch.Tensor) -> None:
        """Store the state after a batch; rows that it did not reach keep theirs."""
        position = torch.argsort(order)
        unsorted = [LstmState(*(s.detach()[:, position] for s in state)) for state in states]
        if self.states:
            unsorted = [_replace_rows(old, new) for old, new in zip(self.states, unsorted)]
        self.states = unsorted


def _take_rows(old: LstmState, new: LstmState) -> LstmState:
    """Take rows of `old`, and the remaining rows of `new`."""
    rows = new.hidden.size(1)
    return LstmState(
        *(torch.cat([o[:, :rows].to(n), n[:, o.size(1) :]], dim=1) for o, n in zip(old, new))
    )


def _replace_rows(old: LstmState, new: LstmState) -> LstmState:
    """The rows of `new`, then those of `old` beyond them."""
    return LstmState(*(torch.cat([n, o[:, n.size(1) :].to(n)], dim=1) for o, n in zip(old, new)))
