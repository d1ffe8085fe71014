"""Recording a warm state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
import torch

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.warm_state import record_warm_state
from tests.helpers.random_bilm import SENTENCES, random_bilm, save
from tests.reference.numpy_bilm import NumpyBilm

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


def test_state_is_the_mean_after_all_sentences(tmp_path: Path) -> None:
    """Each row of a batch starts from the state that the same row of the batch before has left."""
    bilm, batches = random_bilm(), ([0, 1, 2], [3], [4, 5])
    reference, left, found = NumpyBilm(*save(bilm, tmp_path)), {}, []
    for rows in batches:
        for row, number in enumerate(rows):
            _, left[row] = reference.sentence(SENTENCES[number], left.get(row))
            found.append(left[row])
    record_warm_state(bilm, [batch_to_ids([SENTENCES[i] for i in rows]) for rows in batches])
    for direction, layer in found[0]:
        for k, warm in enumerate((bilm.warm_hidden, bilm.warm_cell)):
            mean = numpy.mean([state[direction, layer][k] for state in found], axis=0)
            numpy.testing.assert_allclose(warm[layer, direction, 0], mean, atol=1e-6)
