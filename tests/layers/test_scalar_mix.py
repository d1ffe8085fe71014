from __future__ import annotations

import math
from typing import Any

import numpy
import pytest
import torch
from allennlp.modules.scalar_mix import ScalarMix as AllenNlpScalarMix

from elmo_plugin.layers import ScalarMix

WEIGHTS = [0.3, -1.2, 2.0]
LENGTHS = [4, 1, 0, 3]


def _layers() -> tuple[torch.Tensor, torch.Tensor]:
    mask = torch.arange(4) < torch.tensor(LENGTHS).unsqueeze(1)
    layers = torch.randn(3, 4, 4, 6, generator=torch.Generator().manual_seed(0)) * 3 + 1
    return layers * mask.unsqueeze(-1), mask


def _mixes(do_layer_norm: bool) -> tuple[ScalarMix, AllenNlpScalarMix]:
    ours = ScalarMix(3, do_layer_norm=do_layer_norm, initial_scalar_parameters=WEIGHTS)
    theirs = AllenNlpScalarMix(3, do_layer_norm, initial_scalar_parameters=WEIGHTS)
    for mix in (ours, theirs):
        torch.nn.init.constant_(mix.gamma, 0.7)
    return ours, theirs


def test_equation_1_equals_numpy() -> None:
    layers, mask = _layers()
    mix, _ = _mixes(do_layer_norm=False)
    weights = numpy.exp(WEIGHTS) / numpy.exp(WEIGHTS).sum()
    expected = 0.7 * sum(s * h for s, h in zip(weights, layers.double().numpy()))
    numpy.testing.assert_allclose(mix(layers, mask).detach().numpy(), expected, atol=1e-6)
    numpy.testing.assert_allclose(mix.weights().detach().numpy(), weights, atol=1e-6)


def test_layer_by_a_number_of_numpy() -> None:
    layers, mask = _layers()
    mix = ScalarMix(3, numpy.argmax([0, 5, 2]))
    assert torch.equal(mix(layers, mask), layers[1])


def test_layer_norm_equals_numpy() -> None:
    layers, mask = _layers()
    mix, _ = _mixes(do_layer_norm=True)
    weights = numpy.exp(WEIGHTS) / numpy.exp(WEIGHTS).sum()
    mixed = mix(layers, mask).detach().numpy()
    for row, length in enumerate(LENGTHS):
        expected = numpy.zeros((4, 6))
        for s, layer in zip(weights, layers[:, row, :length].double().numpy()):
            if length:
                expected[:length] += 0.7 * s * (layer - layer.mean()) / layer.std()
        numpy.testing.assert_allclose(mixed[row], expected, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast_changes_nothing(dtype: torch.dtype) -> None:
    """The scaled gradients of a task model trained with `use_amp` fit into float32."""
    layers, mask = _layers()
    found = []
    for enabled in (False, True):
        mix, _ = _mixes(do_layer_norm=False)
        with torch.autocast("cpu", dtype, enabled=enabled):
            mixed = mix(layers, mask)
        (2.0**16 * mixed.square().mean()).backward()
        found.append((mixed, mix.scalar_parameters.grad, mix.gamma.grad))
    for without, with_autocast in zip(*found):
        assert torch.equal(without, with_autocast)


@pytest.mark.parametrize("kind", ["weighted", "average", "last", 1])
def test_another_default_type_is_exact(kind: Any) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        initial = [0.1, 0.7, -0.4] if kind == "weighted" else None
        mix = ScalarMix(3, kind, initial_scalar_parameters=initial)
    finally:
        torch.set_default_dtype(torch.float32)
    layers, mask = _layers()
    layers = layers.double()
    choice = {"weighted": initial, "average": [0, 0, 0], "last": [-math.inf, -math.inf, 0]}
    weights = numpy.exp(choice.get(kind, [-math.inf, 0, -math.inf]))
    expected = numpy.tensordot(weights / weights.sum(), layers.numpy(), 1)
    numpy.testing.assert_allclose(mix(layers, mask).detach().numpy(), expected, rtol=1e-13)


def test_one_layer_is_chosen_by_infinite_parameters() -> None:
    layers, mask = _layers()
    mix = ScalarMix(3, initial_scalar_parameters=[0.0, -math.inf, -math.inf])
    torch.testing.assert_close(mix(layers, mask), layers[0])


@pytest.mark.parametrize("first", [1e300, math.inf, math.nan])
def test_parameters_without_a_softmax_raise(first: float) -> None:
    with pytest.raises(ValueError, match="scalar mix parameters: expected numbers of float32"):
        ScalarMix(3, initial_scalar_parameters=[first, 0.0, 0.0])


def test_mix_gradients_equal_allennlp() -> None:
    layers, mask = _layers()
    ours, theirs = _mixes(do_layer_norm=False)
    ours(layers, mask).square().sum().backward()
    theirs(list(layers), mask).square().sum().backward()
    expected = torch.cat([p.grad for p in theirs.scalar_parameters])
    torch.testing.assert_close(ours.scalar_parameters.grad, expected)
    torch.testing.assert_close(ours.gamma.grad, theirs.gamma.grad)


def test_layer_norm_equals_allennlp_on_single_sentences_only() -> None:
    layers, mask = _layers()
    ours, theirs = _mixes(do_layer_norm=True)
    together = ours(layers, mask)
    for row, length in enumerate(LENGTHS):
        if length:
            alone = layers[:, row : row + 1, :length]
            expected = theirs(list(alone), mask[row : row + 1, :length])
            torch.testing.assert_close(together[row : row + 1, :length], expected)
    # AllenNLP's statistics are those of the batch, so a sentence changes with what is around it.
    shown = mask.unsqueeze(-1)
    assert not torch.allclose(together * shown, theirs(list(layers), mask) * shown, atol=1e-2)


@pytest.mark.parametrize("kind", [True, "batch"])
def test_layer_norm_in_half_precision(kind: Any) -> None:
    """Sums over 64 tokens of 1,024 values are more than float16 can count."""
    layers = torch.randn(3, 2, 64, 1024, generator=torch.Generator().manual_seed(0))
    mask = torch.ones(2, 64, dtype=torch.bool)
    mask[1], layers[:, 1] = False, 0.0
    mix = ScalarMix(3, do_layer_norm=kind, initial_scalar_parameters=WEIGHTS)
    with torch.no_grad():
        expected = mix(layers, mask)
        found = mix.half()(layers.half(), mask)
    assert found.dtype == torch.float16
    torch.testing.assert_close(found.float(), expected, rtol=0.01, atol=0.01)


def test_layer_norm_gradient() -> None:
    layers, mask = _layers()
    mix, _ = _mixes(do_layer_norm=True)
    layers = layers.double().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: mix.double()(x, mask)[mask], (layers,))


@pytest.mark.parametrize(("kind", "weights"), [
    ("last", [0, 0, 1]), ("average", [1 / 3] * 3), (0, [1, 0, 0]), (1, [0, 1, 0]), (2, [0, 0, 1]),
])  # fmt: skip
def test_fixed_kinds_learn_gamma_only(kind: Any, weights: list[float]) -> None:
    layers, mask = _layers()
    mix = ScalarMix(3, kind)
    assert [name for name, _ in mix.named_parameters()] == ["gamma"]
    expected = sum(s * h for s, h in zip(weights, layers))
    torch.testing.assert_close(mix(layers, mask), expected)


def test_names_of_parameters() -> None:
    assert [name for name, _ in ScalarMix(3).named_parameters()] == ["gamma", "scalar_parameters"]
    assert torch.equal(ScalarMix(3).weights(), torch.full((3,), 1 / 3))
    fixed = ScalarMix(3, initial_scalar_parameters=WEIGHTS, trainable=False)
    assert not any(p.requires_grad for p in fixed.parameters())


@pytest.mark.parametrize(("arguments", "message"), [
    ({"mix": "best"}, "mix: expected weighted, last, average or a layer, got 'best'"),
    ({"mix": True}, "mix: .* got True"),
    ({"mix": 3}, "mix: expected a layer from 0 to 2, got 3"),
    ({"mix": -1}, "mix: expected a layer from 0 to 2, got -1"),
    ({"initial_scalar_parameters": [1.0]}, "expected 3, one per layer, got 1"),
    ({"initial_scalar_parameters": []}, "expected 3, one per layer, got 0"),
    ({"mix": "last", "initial_scalar_parameters": WEIGHTS}, "expected none with mix 'last'"),
])  # fmt: skip
def test_invalid_arguments_raise(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScalarMix(3, **arguments)


def test_wrong_number_of_layers_raises() -> None:
    layers, mask = _layers()
    with pytest.raises(ValueError, match="layers: expected 2, got 3"):
        ScalarMix(2)(layers, mask)


def test_batch_layer_norm_equals_allennlp() -> None:
    layers, mask = _layers()
    ours = ScalarMix(3, do_layer_norm="batch", initial_scalar_parameters=WEIGHTS)
    _, theirs = _mixes(do_layer_norm=True)
    torch.nn.init.constant_(ours.gamma, 0.7)
    found, expected = ours(layers, mask), theirs(list(layers), mask)
    torch.testing.assert_close(found[mask], expected[mask])
    assert not found[~mask].any()


def test_unknown_layer_norm_raises() -> None:
    with pytest.raises(ValueError, match="do_layer_norm: expected false, true or batch"):
        ScalarMix(3, do_layer_norm="layer")  # type: ignore[arg-type]


def test_fixed_gamma_stays_one_and_the_weights_are_learned() -> None:
    layers, mask = _layers()
    mix = ScalarMix(3, train_gamma=False)
    mix(layers, mask).square().sum().backward()
    assert mix.gamma.grad is None and mix.gamma.item() == 1
    assert mix.scalar_parameters.grad is not None and mix.scalar_parameters.grad.any()
