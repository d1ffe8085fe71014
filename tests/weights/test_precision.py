"""biLMs with bfloat16 matrices: near float32, half the size, and stored without loss."""

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.layers import backend, batch_to_ids
from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import LstmWeights
from elmo_plugin.modules.token_embedders.elmo import ElmoTokenEmbedder
from elmo_plugin.pretrained import load_pretrained_bilm
from elmo_plugin.weights import load_bilm, save_bilm
from tests.helpers.bfloat16 import without_bfloat16

SENTENCES = [["The", "tea", "was", "cold", "."], ["Nobody", "in", "the", "boat", "spoke", "."]]


def test_layers_are_near_those_of_float32() -> None:
    exact, lower = (load_pretrained_bilm(precision=p) for p in ("float32", "bfloat16"))
    with torch.no_grad():
        expected, found = (bilm(batch_to_ids(SENTENCES)).layers for bilm in (exact, lower))
    assert found.dtype == torch.float32
    for one, other in zip(found, expected):
        assert 0 < (one - other).norm() < 0.02 * other.norm()


@pytest.mark.parametrize("compiled", [True, False])
def test_layers_are_near_on_cpus_without_bfloat16(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_bfloat16(monkeypatch)
    types = []

    def record(inputs: torch.Tensor, weights: LstmWeights, *arguments: Any) -> Any:
        types.append(weights.recurrent.dtype)
        return recurrence(inputs, weights, *arguments)

    if not compiled:
        monkeypatch.setattr(backend, "can_compile", lambda *_: False)
        monkeypatch.setattr(backend, "recurrence", record)
    test_layers_are_near_those_of_float32()
    assert compiled or set(types) == {torch.float32}


def test_matrices_take_half_the_memory() -> None:
    exact, lower = (load_pretrained_bilm(precision=p) for p in ("float32", "bfloat16"))
    sizes = [sum(p.nbytes for p in bilm.lstm.parameters()) for bilm in (exact, lower)]
    assert sizes[1] < 0.51 * sizes[0]


def test_saved_weights_are_those_that_were_loaded(tmp_path: Path) -> None:
    bilm = load_pretrained_bilm(precision="bfloat16")
    save_bilm(bilm, tmp_path / "options.json", tmp_path / "weights.hdf5")
    again = load_bilm(tmp_path / "options.json", tmp_path / "weights.hdf5")
    for name, weight in again.state_dict().items():
        assert torch.equal(weight, bilm.state_dict()[name].float())


def test_the_embedder_takes_it_for_a_frozen_bilm() -> None:
    ids = batch_to_ids(SENTENCES)
    exact, lower = (
        ElmoTokenEmbedder(dropout=0.0, precision=p)(ids) for p in ("float32", "bfloat16")
    )
    assert 0 < (lower - exact).norm() < 0.02 * exact.norm()
    with pytest.raises(ConfigurationError, match="precision: expected float32"):
        ElmoTokenEmbedder(requires_grad=True, precision="bfloat16")


def test_another_precision_is_refused() -> None:
    with pytest.raises(ValueError, match="precision: expected float32 or bfloat16, got 'half'"):
        load_pretrained_bilm(precision="half")  # type: ignore[arg-type]
