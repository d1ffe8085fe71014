"""Tests of bfloat16 on CPUs with and without instructions for it."""

import pytest
import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.fast import precision

needs_bfloat16 = pytest.mark.skipif(
    not backend.has_products(torch.bfloat16, torch.device("cpu")),
    reason="a CPU without instructions for bfloat16",
)


def without_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute as CPUs without instructions for bfloat16 do."""
    monkeypatch.setattr(precision, "_HAS_BFLOAT16", False)
