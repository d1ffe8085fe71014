from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from allennlp.modules.elmo import Elmo as AllenNlpElmo

from elmo_plugin.layers import Elmo, ScalarMix, batch_to_ids
from elmo_plugin.layers.fast.activation_cache import ActivationCache
from elmo_plugin.layers.scalar_mix import LayerNorm
from elmo_plugin.weights import load_bilm
from tests.helpers.random_bilm import SENTENCES, random_bilm, save

IDS = batch_to_ids(SENTENCES)


def test_mixes_equal_allennlp(tmp_path: Path) -> None:
    files = save(random_bilm(), tmp_path)
    theirs = AllenNlpElmo(str(files.options), str(files.weights), 3, requires_grad=True).eval()
    ours = Elmo(load_bilm(*files), 3).eval()
    for k, mix in enumerate(ours.scalar_mixes):
        values = torch.tensor([0.5, -1.0, 2.0]).roll(k)
        mix.load_state_dict({"gamma": torch.tensor([1.0 + k]), "scalar_parameters": values})
        peer = getattr(theirs, f"scalar_mix_{k}")
        for parameter, value in zip(peer.scalar_parameters, values):
            torch.nn.init.constant_(parameter, value.item())
        torch.nn.init.constant_(peer.gamma, 1.0 + k)
    expected = theirs(IDS)["elmo_representations"]
    found = ours(IDS)
    assert len(found) == 3
    for mixed, peer in zip(found, expected):
        torch.testing.assert_close(mixed, peer, atol=1e-5, rtol=0)


def test_bilm_runs_once_for_all_mixes() -> None:
    elmo = Elmo(random_bilm(), 4)
    passes: list[int] = []
    elmo.bilm.register_forward_hook(lambda *_: passes.append(1))
    elmo(IDS)
    assert len(passes) == 1


@pytest.mark.parametrize("outer", [(), (6,), (2, 3), (3, 1, 2), (0,), (0, 3), (2, 0, 1)])
def test_any_number_of_batch_dimensions(outer: tuple[int, ...]) -> None:
    elmo = Elmo(random_bilm(), 2).eval()
    count = torch.Size(outer).numel()
    ids = IDS[:count]
    expected = elmo(ids)
    found = elmo(ids.view(*outer, *IDS.shape[1:]))
    for mixed, flat in zip(found, expected):
        assert mixed.shape == (*outer, IDS.size(1), elmo.bilm.output_dim)
        torch.testing.assert_close(mixed.reshape(flat.shape), flat)


@pytest.mark.parametrize("shape", [(2, 0, 50), (0, 0, 50), (2, 3, 0, 50)])
def test_no_tokens(shape: tuple[int, ...]) -> None:
    elmo = Elmo(random_bilm())
    (mixed,) = elmo(torch.zeros(shape, dtype=torch.long))
    assert mixed.shape == (*shape[:-1], elmo.bilm.output_dim)


def test_half_is_dropped_by_default_in_training_only() -> None:
    torch.manual_seed(0)
    elmo = Elmo(random_bilm(), 2)
    kept = elmo.eval()(IDS)
    assert torch.equal(kept[0], kept[1])  # fresh mixes are equal
    first, second = elmo.train()(IDS)
    inside = kept[0] != 0
    assert not torch.equal(first, second)
    for mixed in (first, second):
        dropped = (mixed[inside] == 0).float().mean().item()
        assert dropped == pytest.approx(0.5, abs=0.1)
        left = inside & (mixed != 0)
        torch.testing.assert_close(mixed[left], 2 * kept[0][left])


@pytest.mark.parametrize("frozen", [False, True])
def test_gradients_reach_the_bilm_unless_frozen(frozen: bool) -> None:
    elmo = Elmo(random_bilm().requires_grad_(not frozen))
    sum(mixed.square().sum() for mixed in elmo(IDS)).backward()
    for name, parameter in elmo.named_parameters():
        if frozen and name.startswith("bilm."):
            assert parameter.grad is None, name
        else:
            assert parameter.grad is not None and parameter.grad.any(), name


def test_fixed_mix() -> None:
    elmo = Elmo(random_bilm(), dropout=0.0, scalar_mix_parameters=[-9e10, 1.0, -9e10])
    torch.testing.assert_close(elmo(IDS)[0], elmo.bilm(IDS).layers[1])
    assert not any(p.requires_grad for p in elmo.scalar_mixes.parameters())
    torch.testing.assert_close(Elmo(random_bilm(), mix=1, dropout=0.0)(IDS)[0], elmo(IDS)[0])


def test_layer_norm_does_not_depend_on_the_batch() -> None:
    elmo = Elmo(random_bilm(), do_layer_norm=True, dropout=0.0)
    (together,) = elmo(IDS)
    for row, words in enumerate(SENTENCES):
        (alone,) = elmo(batch_to_ids([words]))
        torch.testing.assert_close(together[row, : len(words)], alone[0], atol=1e-5, rtol=0)
        assert not together[row, len(words) :].any()


def test_names_of_mixes_are_distinct() -> None:
    # So that a regularizer can be given to one of them.
    names = [n for n, _ in Elmo(random_bilm(), 2).named_parameters() if not n.startswith("bilm.")]
    assert names == [
        f"scalar_mixes.{k}.{name}" for k in range(2) for name in ("gamma", "scalar_parameters")
    ]


def test_invalid_arguments_raise() -> None:
    with pytest.raises(ValueError, match=r"^bilm: expected a Bilm, .* got 'built-in' \(str\)"):
        Elmo(cast("Any", "built-in"))
    with pytest.raises(ValueError, match="num_output_representations: expected at least 1, got 0"):
        Elmo(random_bilm(), 0)


@pytest.mark.parametrize("layer_norm", [False, True, "batch"])
def test_the_token_layer_alone_needs_no_lstm(layer_norm: LayerNorm) -> None:
    bilm = random_bilm().requires_grad_(False)
    expected = ScalarMix(3, 0, layer_norm)(bilm(IDS).layers, bilm(IDS).mask)
    for weights in bilm.lstm.parameters():
        weights.fill_(math.nan)
    cached = {"cache": ActivationCache(), "num_output_representations": 2}
    for options in ({}, cached):
        elmo = Elmo(bilm, mix=0, do_layer_norm=layer_norm, dropout=0.0, **options)
        elmo.cache_layers([IDS])
        for mixed in elmo(IDS):
            assert torch.equal(mixed, expected)


def test_trained_lstms_that_no_mix_reads_have_gradients() -> None:
    """DistributedDataParallel expects gradients of all trained weights."""
    bilm = random_bilm()
    Elmo(bilm, mix=0)(IDS)[0].sum().backward()
    assert all(parameter.grad is not None for parameter in bilm.parameters())


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(
    "options",
    [None, {}, {"cache": ActivationCache()}, {"mix": 0}],
    ids=["biLM", "ELMo", "with a cache", "token layer"],
)
def test_compiled_models_equal_others(options: dict[str, Any] | None, frozen: bool) -> None:
    """PyTorch compiles the code around the biLM; numba's loops run uncompiled by it."""
    torch.compiler.reset()
    bilm = random_bilm().requires_grad_(not frozen)
    if options is None:
        compiled = torch.compile(bilm, backend="eager")
        torch.testing.assert_close(compiled(IDS).layers, random_bilm()(IDS).layers)
        return
    compiled = torch.compile(Elmo(bilm, dropout=0.0, **options), backend="eager")
    expected = Elmo(random_bilm(), dropout=0.0, mix=options.get("mix", "weighted"))(IDS)[0]
    for _ in range(2):
        torch.testing.assert_close(compiled(IDS)[0], expected)
