"""The projected LSTM over packed sequences with Triton's kernels for a step's cells."""

from __future__ import annotations

from functools import partial

from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.fast.triton.cell import TRITON_CELL

fused_recurrence = partial(recurrence, functions=TRITON_CELL)
"""Compute what `fast.recurrence` computes, for float32 on a GPU; parameters are the same."""
