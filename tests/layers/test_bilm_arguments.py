"""Sizes and ids that a biLM accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from tests.helpers.random_bilm import SMALL, random_bilm


def test_unusual_sizes() -> None:
    for config in (
        BilmConfig(((1, 1),), 1, 3, 0, "tanh", 1, 1, 1, None, None, False),
        replace(SMALL, filters=((50, 2),)),
        replace(SMALL, projection_dim=40, num_layers=4),
    ):
        bilm = random_bilm(config)
        output = bilm(batch_to_ids([["a", "bc"], ["d"]], config.max_characters))
        assert output.layers.shape == (config.num_layers + 1, 2, 2, 2 * config.projection_dim)
        assert bilm.output_dim == 2 * config.projection_dim
        assert output.layers.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.int8, torch.uint8])
def test_any_integer_type_of_ids(dtype: torch.dtype) -> None:
    # No id of an ASCII word is beyond 127 but those of its boundaries, which must not overflow.
    bilm = random_bilm()
    ids = batch_to_ids([["a"]]).clamp(max=120)
    assert torch.equal(bilm(ids.to(dtype)).layers, bilm(ids).layers)


BAD_IDS: dict[str, tuple[torch.Tensor, str]] = {
    "too high": (torch.full((1, 1, 50), 262), "from 0 to 261, got ids from 262 to 262"),
    "negative": (torch.full((1, 2, 50), -1), "from 0 to 261, got ids from -1 to -1"),
    "floats": (torch.ones(1, 1, 50), "integers, got torch.float32"),
    "wrong width": (torch.ones(1, 1, 49).long(), r"\(batch, tokens, 50\), got \(1, 1, 49\)"),
    "two dimensions": (torch.ones(1, 50).long(), r"\(batch, tokens, 50\), got \(1, 50\)"),
    "hole": (
        torch.tensor([[1, 1, 1], [1, 0, 1]]).unsqueeze(-1).expand(-1, -1, 50),
        "masked word at token 1 of row 1",
    ),
}


@pytest.mark.parametrize(("ids", "message"), BAD_IDS.values(), ids=BAD_IDS)
def test_invalid_ids_raise(ids: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=f"^character_ids: expected .*{message}"):
        random_bilm()(ids)


def test_unknown_initial_state_raises() -> None:
    state: Any = "hot"
    with pytest.raises(ValueError, match=r"initial_state: .*zero, warm, carried, got 'hot'"):
        Bilm(SMALL, state)


@pytest.mark.parametrize("precision", [torch.float64, torch.int8, "bfloat16"])
def test_unknown_precision_raises(precision: Any) -> None:
    with pytest.raises(ValueError, match=r"^precision: expected .*bfloat16.* got "):
        Bilm(SMALL, precision=precision)
