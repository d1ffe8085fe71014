"""Errors while a warm state is recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.warm_state import record_warm_state
from tests.helpers.random_bilm import SENTENCES, random_bilm

IDS = batch_to_ids(SENTENCES)


def _failing_batches() -> Iterator[torch.Tensor]:
    yield IDS
    raise OSError("the text cannot be read")


@pytest.mark.parametrize("error", [OSError, ValueError])
def test_errors_change_nothing(error: type[Exception]) -> None:
    bilm = random_bilm().train()
    before = {name: tensor.clone() for name, tensor in bilm.state_dict().items()}
    with pytest.raises(error, match=r"cannot be read|expected sentences"):
        record_warm_state(bilm, _failing_batches() if error is OSError else [])
    assert bilm.training and bilm.initial_state == "zero" and not bilm.carried.states
    assert all(torch.equal(before[name], tensor) for name, tensor in bilm.state_dict().items())
