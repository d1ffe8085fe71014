from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy
import pytest

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids

BAD: dict[str, list[Any]] = {
    "filters": [[], None, 5, "12", [5], [[1, 2, 3]], [[0, 2]], [[1, 0]], [[1.5, 2]], [[51, 1]]],
    "character_dim": [0, -1, 1.5, "16", None, True],
    "max_characters": [2, 50.0, "50"],
    "num_highways": [-1, None, 1.0],
    "activation": ["gelu", None, 1],
    "projection_dim": [0, "512"],
    "cell_dim": [0, None],
    "num_layers": [0, 2.0],
    "cell_clip": [-3, "3", float("nan"), True, [3]],
    "projection_clip": [0, -0.5],
    "residual": [None, 1, "false"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD.items() for v in values])
def test_invalid_values_raise(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected .* got "):
        BilmConfig(**{name: value})


def test_filters_may_be_lists() -> None:
    lists: Any = [[1, 4], [2, 8]]
    config = BilmConfig(filters=lists)
    assert config == BilmConfig(filters=((1, 4), (2, 8)))
    assert hash(config) == hash(BilmConfig(filters=((1, 4), (2, 8))))
    assert config.num_filters == 12


def test_numbers_of_numpy() -> None:
    config = BilmConfig(
        filters=((numpy.int64(1), numpy.int16(4)),),  # type: ignore[arg-type]
        projection_dim=numpy.int32(8),  # type: ignore[arg-type]
        cell_clip=numpy.float32(2.5),  # type: ignore[arg-type]
    )
    assert config == BilmConfig(filters=((1, 4),), projection_dim=8, cell_clip=2.5)
    json.dumps(asdict(config))


def test_clip_of_more_than_64_bits() -> None:
    config = BilmConfig(((1, 4),), projection_dim=4, cell_dim=4, cell_clip=10**30)
    layers = Bilm(config)(batch_to_ids([["word"]])).layers
    assert layers.isfinite().all()
