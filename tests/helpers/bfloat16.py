"""Tests of bfloat16 on CPUs on which oneDNN takes it or not."""

import pytest
import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.fast import precision

needs_bfloat16 = pytest.mark.skipif(
    not backend.supports_matmul(torch.bfloat16, torch.device("cpu")),
    reason="a CPU on which oneDNN does not take bfloat16",
)


def without_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute as CPUs do on which oneDNN does not take bfloat16."""
    monkeypatch.setattr(precision, "_HAS_BFLOAT16", False)
