"""Layers on a GPU against the CPU: values, gradients, and where the results are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_plugin.layers import Bilm, Elmo, batch_to_ids
from elmo_plugin.layers.fast.activation_cache import ActivationCache
from elmo_plugin.layers.fast.directions import multiply
from elmo_plugin.layers.fast.triton import can_fuse
from elmo_plugin.layers.fast.word_blocks import encode_in_blocks
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.per_sentence import apply_per_sentence
from elmo_plugin.layers.scalar_mix import LayerNorm, MixKind
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.layers.warm_state import record_warm_state
from tests.helpers.random_bilm import SENTENCES, SMALL, random_bilm

pytestmark = pytest.mark.gpu

IDS = batch_to_ids(SENTENCES)


def _assert_equal(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    """Compare tensors of a GPU with those of the CPU: up to rounding, for their size."""
    for one, other in zip(found, expected, strict=True):
        largest = other.abs().max().item()
        torch.testing.assert_close(one.cpu(), other, rtol=0, atol=1e-5 * largest + 1e-7)


def _on_both(
    function: Callable[[Any, torch.Tensor], list[torch.Tensor]],
    module: torch.nn.Module,
    device: Any,
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Apply a function to a module and sentences on the device, and to copies on the CPU."""
    moved = copy.deepcopy(module).to(device)
    found = function(moved, IDS.to(device))
    assert all(tensor.device == device for tensor in found)
    return found, function(module, IDS)


def _layers_and_gradients(bilm: Bilm, ids: torch.Tensor) -> list[torch.Tensor]:
    layers = bilm(ids).layers
    return [layers, *torch.autograd.grad(layers.square().sum(), list(bilm.parameters()))]


@pytest.mark.parametrize("training", [False, True])
def test_values_and_gradients(training: bool, device: torch.device) -> None:
    _assert_equal(*_on_both(_layers_and_gradients, random_bilm().train(training), device))


@pytest.mark.parametrize("initial_state", ["zero", "warm", "carried"])
def test_frozen_layers(initial_state: Any, device: torch.device) -> None:
    bilm = random_bilm().requires_grad_(False)
    record_warm_state(bilm, [IDS])
    bilm.initial_state = initial_state

    def three_batches(bilm: Bilm, ids: torch.Tensor) -> list[torch.Tensor]:
        # With more and with fewer rows, and words that the cache has.
        return [bilm(batch).layers for batch in (ids, ids[:2], ids)]

    _assert_equal(*_on_both(three_batches, bilm, device))


def test_warm_state(device: torch.device) -> None:
    def record(bilm: Bilm, ids: torch.Tensor) -> list[torch.Tensor]:
        record_warm_state(bilm, [ids, ids[:3]])
        return [bilm.warm_hidden, bilm.warm_cell]

    _assert_equal(*_on_both(record, random_bilm().requires_grad_(False), device))


@pytest.mark.parametrize("kind", ["weighted", "last"])
@pytest.mark.parametrize("do_layer_norm", [False, True, "batch"])
@pytest.mark.parametrize("caches", [False, True])
def test_elmo(kind: MixKind, do_layer_norm: LayerNorm, caches: bool, device: torch.device) -> None:
    cache = ActivationCache() if caches else None
    frozen = random_bilm().requires_grad_(False)
    elmo = Elmo(frozen, 2, kind, do_layer_norm, dropout=0.0, cache=cache)

    def mix(elmo: Elmo, ids: torch.Tensor) -> list[torch.Tensor]:
        elmo.cache_layers([ids[:3], ids[3:]])
        first, second = elmo(ids)
        trained = [p for p in elmo.parameters() if p.requires_grad]
        return [first, second, *torch.autograd.grad((first + 2 * second).square().sum(), trained)]

    _assert_equal(*_on_both(mix, elmo, device))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("num_samples", [None, 5])
@pytest.mark.parametrize("per_direction", [False, True])
def test_language_model(
    num_samples: int | None, per_direction: bool, sparse: bool, device: torch.device
) -> None:
    if sparse and device.type == "simulated":
        pytest.skip("its tensors are dense")
    softmax = Softmax(20, SMALL.projection_dim)
    softmax.sparse = sparse
    model = LanguageModel(random_bilm(), softmax, 0.0, num_samples, per_direction).train()
    generator = torch.Generator().manual_seed(0)
    index = torch.randint(5, (2, 3, 4), generator=generator)
    targets = torch.randint(20, (2, 3, 4), generator=generator)
    targets[0, 0, 1:] = -1

    def score(model: LanguageModel, ids: torch.Tensor) -> list[torch.Tensor]:
        torch.manual_seed(0)
        text = ids[0, :5], index.to(ids.device), targets.to(ids.device)
        first = model(*text)
        second = model(*text, first.states)
        loss = first.loss + second.loss
        loss.backward()
        gradients = [p.grad.to_dense() for p in model.parameters() if p.grad is not None]
        assert len(gradients) == len(list(model.parameters()))
        return [loss, second.token_log_likelihoods, *second.states[-1], *gradients]

    _assert_equal(*_on_both(score, model, device))


def test_bfloat16_inference(device: torch.device) -> None:
    bilm = random_bilm().requires_grad_(False)
    expected = bilm(IDS).layers
    found = bilm.to_precision(torch.bfloat16).to(device)(IDS.to(device)).layers
    assert found.dtype == torch.float32
    assert (found.cpu() - expected).norm() <= 0.02 * expected.norm()


def test_bfloat16_training(device: torch.device) -> None:
    if device.type == "simulated":
        pytest.skip("it has no autocast")
    found = []
    for precision in (None, torch.bfloat16):
        bilm = Bilm(SMALL, precision=precision)
        bilm.load_state_dict(random_bilm().state_dict())
        on = device if precision else torch.device("cpu")
        found.append(_layers_and_gradients(bilm.to(on).train(), IDS.to(on)))
    for one, other in zip(*found):
        assert (one.cpu() - other.cpu()).norm() <= 0.1 * one.norm().cpu()


def test_sentences_of_documents(device: torch.device) -> None:
    sentences = torch.tensor([[1, 1, 2, 0], [1, 2, 2, 2]])
    tokens = torch.arange(24.0).view(2, 4, 3)
    found = apply_per_sentence(lambda t: 2 * t, tokens.to(device), sentences.to(device))
    _assert_equal([found], [apply_per_sentence(lambda t: 2 * t, tokens, sentences)])


def test_tensors_of_two_devices_are_an_error(device: torch.device) -> None:
    """The tests of the simulated device depend on it."""
    if device.type == "cpu":
        pytest.skip("there is one device")
    with pytest.raises(RuntimeError, match=r"same device|one device"):
        torch.zeros(2, device=device) + torch.zeros(2)
    with pytest.raises(TypeError):
        torch.zeros(2, device=device).numpy()


@pytest.mark.parametrize("matrix", [torch.float32, torch.bfloat16])
def test_fused_kernels_are_used(matrix: torch.dtype, device: torch.device) -> None:
    """Without them the other tests pass too, but slower."""
    if device.type != "cuda":
        pytest.skip("for GPUs")
    assert can_fuse(matrix, torch.zeros(1, device=device))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("sizes", [(8, 4), (4096, 256)])
def test_products_of_both_directions(
    sizes: tuple[int, int], dtype: torch.dtype, device: torch.device
) -> None:
    torch.manual_seed(0)
    rows, right = torch.randn(2, 9, sizes[0]), torch.randn(2, *sizes)
    rows, right = rows.to(device, dtype), right.to(device, dtype)
    out = torch.zeros(2, 9, sizes[1], dtype=dtype, device=device)
    for matrix in (right, right.mT.contiguous().mT):
        multiply(rows[:, 3:8], matrix, out[:, 3:8])
        expected = rows[:, 3:8].cpu().double() @ matrix.cpu().double()
        tolerance = 1e-5 if dtype == torch.float32 else 1e-2
        error = (out[:, 3:8].cpu() - expected).abs().max()
        assert error <= tolerance * expected.abs().max()
        assert not out[:, :3].any() and not out[:, 8:].any()


class _RecordsShapes(torch.nn.Module):
    """Returns its input, and keeps the shapes of all inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))  # which says where it computes
        self.shapes: list[torch.Size] = []

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        self.shapes.append(words.shape)
        return self.weight.detach() * words


def test_words_are_encoded_in_few_blocks_of_one_shape(device: torch.device) -> None:
    if device.type == "cpu":
        pytest.skip("on a CPU, blocks are smaller")
    # Of 1 to 40 letters, so that each length has its block.
    ids = batch_to_ids([[chr(97 + n % 26) * (1 + n % 40) for n in range(400)]])[0].to(device)
    encoder = _RecordsShapes().to(device)
    torch.testing.assert_close(encode_in_blocks(encoder, ids), ids.float(), rtol=0, atol=0)
    assert len(set(encoder.shapes)) == 1
    assert len(encoder.shapes) < 10


def test_a_word_has_the_same_vector_in_every_batch(device: torch.device) -> None:
    def first_layer(ids: torch.Tensor) -> torch.Tensor:
        bilm = random_bilm().requires_grad_(False).to(device)  # with an empty cache of words
        return bilm(ids.to(device)).layers[0].cpu()

    words = [chr(97 + n % 26) * (1 + n % 30) + str(n) for n in range(1500)]
    all_words = first_layer(batch_to_ids([words]))[0]
    for start in (0, 700, 1490):
        part = first_layer(batch_to_ids([words[start : start + 10]]))[0]
        assert torch.equal(part[:10], all_words[start : start + 10])
