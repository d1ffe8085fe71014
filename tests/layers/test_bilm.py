from __future__ import annotations

import copy
import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.bfloat16 import needs_bfloat16, without_bfloat16
from tests.helpers.random_bilm import FULL, SENTENCES, SMALL, random_bilm, save

SAME: Any = {"atol": 1e-6, "rtol": 0.0}


def _assert_one_vector_a_sentence(bilm: Bilm, sentences: list[list[str]]) -> None:
    alone = [bilm(batch_to_ids([words])).layers[:, 0] for words in sentences]
    shuffled = random.Random(0)
    for size in (2, 3, len(sentences)):
        rows = shuffled.sample(range(len(sentences)), size)
        ids = batch_to_ids([sentences[i] for i in rows])
        padded = torch.cat([ids, ids.new_zeros(len(ids), 5, ids.size(-1))], dim=1)
        for batch in (ids, padded):
            layers = bilm(batch).layers
            for row, i in enumerate(rows):
                found = layers[:, row, : len(sentences[i])]
                torch.testing.assert_close(found, alone[i], **SAME)


@pytest.mark.parametrize("config", [SMALL, replace(SMALL, cell_clip=None, projection_clip=None)])
def test_vectors_of_a_sentence_do_not_depend_on_the_batch(config: BilmConfig) -> None:
    _assert_one_vector_a_sentence(random_bilm(config), SENTENCES)


@pytest.mark.slow
@torch.no_grad()
@pytest.mark.parametrize("config", [FULL, BilmConfig()], ids=["clipped", "published"])
def test_vectors_do_not_depend_on_the_batch_at_full_size(config: BilmConfig) -> None:
    # Weights as training starts from: float32 does not hold 1e-6 for much larger values.
    torch.manual_seed(0)
    _assert_one_vector_a_sentence(Bilm(config).eval(), SENTENCES)


def test_forward_layers_do_not_see_the_future_nor_backward_layers_the_past() -> None:
    bilm = random_bilm()
    words = ["a", "b", "c", "d", "e"]
    before = bilm(batch_to_ids([words])).layers[1:, 0]
    for changed in range(len(words)):
        other = [*words[:changed], "changed", *words[changed + 1 :]]
        difference = (bilm(batch_to_ids([other])).layers[1:, 0] - before).abs()
        forward, backward = difference.chunk(2, dim=-1)
        # Nothing but rounding where the word cannot be seen, and something everywhere else.
        assert (forward[:, :changed] < 1e-6).all()
        assert (backward[:, changed + 1 :] < 1e-6).all()
        assert (forward[:, changed:].amax(-1) > 1e-5).all()
        assert (backward[:, : changed + 1].amax(-1) > 1e-5).all()


def test_token_layer_depends_on_its_word_only() -> None:
    bilm = random_bilm()
    first = bilm(batch_to_ids([["same", "other"]])).layers[0, 0, 0]
    second = bilm(batch_to_ids([["another", "same"]])).layers[0, 0, 1]
    torch.testing.assert_close(first, second, **SAME)
    forward, backward = first.chunk(2)
    assert torch.equal(forward, backward)


def test_repeating_a_batch_changes_nothing_unless_state_is_carried() -> None:
    bilm, carried = random_bilm(), random_bilm()
    carried.initial_state = "carried"
    ids = batch_to_ids(SENTENCES)
    first = bilm(ids).layers
    assert torch.equal(bilm(ids).layers, first)
    assert torch.equal(carried(ids).layers, first)
    assert not torch.allclose(carried(ids).layers[1:], first[1:], atol=1e-3)
    carried.forget_carried_state()
    assert torch.equal(carried(ids).layers, first)


def test_training_can_start_from_state_carried_in_inference_mode() -> None:
    bilm = random_bilm()
    bilm.initial_state = "carried"
    with torch.inference_mode():
        bilm(batch_to_ids(SENTENCES))
    bilm(batch_to_ids(SENTENCES)).layers.sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in bilm.parameters())


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0), (2, 3)])
def test_batches_without_a_word(shape: tuple[int, int]) -> None:
    bilm = random_bilm()
    output = bilm(torch.zeros(*shape, 50, dtype=torch.long))
    assert output.layers.shape == (3, *shape, bilm.output_dim)
    assert output.mask.shape == shape
    assert not output.layers.any() and not output.mask.any()
    output.layers.sum().backward()
    assert not any(p.grad is not None and p.grad.any() for p in bilm.parameters())


def test_sentence_of_5000_words() -> None:
    bilm = random_bilm()
    words = [f"word{i % 700}" for i in range(5000)]
    with torch.no_grad():
        layers = bilm(batch_to_ids([words, ["short"]])).layers
        assert layers.isfinite().all()
        # The last words' forward context fades, so their end alone tells the backward layers.
        tail = bilm(batch_to_ids([words[-200:]])).layers[:, 0]
        half = bilm.config.projection_dim
        torch.testing.assert_close(layers[:, 0, -200:, half:], tail[..., half:], **SAME)


def test_dropout_in_training_only() -> None:
    bilm = random_bilm()
    bilm.lstm.dropout.p = 0.5
    ids = batch_to_ids(SENTENCES)
    assert torch.equal(bilm(ids).layers, random_bilm()(ids).layers)
    first, second = bilm.train()(ids).layers, bilm(ids).layers
    assert torch.equal(first[0], second[0])
    assert not torch.allclose(first[1:], second[1:], atol=1e-3)


@pytest.mark.parametrize("frozen", [False, True])
def test_autocast_does_not_change_vectors(frozen: bool) -> None:
    bilm = random_bilm().requires_grad_(not frozen)
    ids = batch_to_ids(SENTENCES)
    expected = random_bilm().requires_grad_(not frozen)(ids).layers
    with torch.autocast("cpu", torch.bfloat16):
        inside = bilm(ids).layers
    assert torch.equal(inside, expected)
    assert torch.equal(bilm(ids).layers, expected)


def test_training_is_in_float32_on_cpus_without_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    without_bfloat16(monkeypatch)
    exact = random_bilm()
    other = Bilm(SMALL, precision=torch.bfloat16)
    other.load_state_dict(exact.state_dict())
    layers, expected = (bilm.train()(batch_to_ids(SENTENCES)).layers for bilm in (other, exact))
    assert torch.equal(layers, expected)
    layers.square().sum().backward()
    expected.square().sum().backward()
    for parameter, same in zip(other.parameters(), exact.parameters()):
        assert parameter.grad is not None and same.grad is not None
        torch.testing.assert_close(parameter.grad, same.grad)


@needs_bfloat16
def test_lower_precision_of_matrix_operands_in_training_only() -> None:
    ids = batch_to_ids(SENTENCES)
    exact = random_bilm()
    rounded = Bilm(SMALL, precision=torch.bfloat16)
    rounded.load_state_dict(exact.state_dict())
    assert torch.equal(rounded.eval()(ids).layers, exact(ids).layers)
    layers, expected = rounded.train()(ids).layers, exact(ids).layers
    assert layers.dtype == torch.float32
    assert 1e-5 < (layers - expected).abs().max() < 0.02
    layers.square().sum().backward()
    expected.square().sum().backward()
    for (name, parameter), other in zip(rounded.named_parameters(), exact.parameters()):
        assert parameter.grad is not None and other.grad is not None
        assert parameter.grad.dtype == torch.float32
        likeness = torch.cosine_similarity(parameter.grad.flatten(), other.grad.flatten(), dim=0)
        assert likeness > 0.99, name


@pytest.mark.parametrize(("grad", "frozen"), list(itertools.product([False, True], repeat=2)))
def test_vectors_do_not_depend_on_gradient_mode_or_freezing(
    grad: bool, frozen: bool, tmp_path: Path
) -> None:
    files = save(random_bilm(), tmp_path)
    expected = load_bilm(*files)(batch_to_ids(SENTENCES)).layers.detach()
    bilm = load_bilm(*files).requires_grad_(not frozen)
    with torch.set_grad_enabled(grad):
        torch.testing.assert_close(bilm(batch_to_ids(SENTENCES)).layers.detach(), expected, **SAME)
    with torch.inference_mode():
        torch.testing.assert_close(bilm(batch_to_ids(SENTENCES)).layers.clone(), expected, **SAME)
    double = copy.deepcopy(bilm).double()
    found = double(batch_to_ids(SENTENCES)).layers
    assert found.dtype == torch.float64
    torch.testing.assert_close(found.detach().float(), expected, **SAME)


def test_float16_matrices() -> None:
    bilm, ids = random_bilm(), batch_to_ids(SENTENCES)
    exact = bilm(ids).layers
    near = bilm.to_precision(torch.float16)(ids).layers
    assert 0 < (near - exact).abs().max() < 0.01 * exact.abs().max()


def test_carried_state_follows_the_bilm_to_another_type() -> None:
    bilm, ids = random_bilm().double(), batch_to_ids(SENTENCES)
    bilm.initial_state = "carried"
    bilm(ids[:2])
    exact = copy.deepcopy(bilm)(ids).layers
    found = bilm.float()(ids).layers
    torch.testing.assert_close(found, exact.float(), atol=1e-5, rtol=1e-5)
    assert {tensor.dtype for state in bilm.carried.states for tensor in state} == {torch.float32}


def test_bilm_made_on_the_meta_device_takes_its_weights_later() -> None:
    expected, ids = random_bilm(), batch_to_ids(SENTENCES)
    with torch.device("meta"):
        found = Bilm(expected.config)
    found.load_state_dict(expected.state_dict(), assign=True)
    assert torch.equal(found(ids).layers, expected(ids).layers)
