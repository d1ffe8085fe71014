"""Caches of modules whose outputs depend on more than their input and their tensors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from allennlp.confidence_checks.normalization_bias_verification import (
    NormalizationBiasVerification,
)
from torch.nn.utils import parametrize

from elmo_plugin.layers import Bilm, Elmo, batch_to_ids
from elmo_plugin.layers.fast.activation_cache import ActivationCache
from tests.helpers.forward_calls import before_forward
from tests.helpers.random_bilm import SENTENCES, random_bilm

IDS = batch_to_ids(SENTENCES)
SOME, OTHERS = IDS[:2], IDS[2:4]
OF_WORDS = (
    "token_encoder",
    "token_encoder.characters",
    "token_encoder.convolutions.0",
    "token_encoder.highways.0",
    "token_encoder.projection",
)
OF_SENTENCES = ("", "lstm", "lstm.layers.1", *OF_WORDS)

Run = Callable[[torch.Tensor], torch.Tensor]


def frozen() -> Bilm:
    return random_bilm().requires_grad_(False)


def with_word_cache(bilm: Bilm) -> Run:
    return lambda ids: bilm(ids).layers


def with_both_caches(bilm: Bilm) -> Run:
    elmo = Elmo(bilm, dropout=0.0, cache=ActivationCache())
    return lambda ids: elmo(ids)[0].detach()


CACHES = pytest.mark.parametrize("cached", [with_word_cache, with_both_caches])


@pytest.mark.parametrize("kind", ["register_forward_hook", "register_forward_pre_hook"])
@pytest.mark.parametrize(
    ("cached", "name"),
    [(with_word_cache, name) for name in OF_WORDS]
    + [(with_both_caches, name) for name in OF_SENTENCES],
)
def test_hooks_are_called_for_known_sentences(
    cached: Callable[[Bilm], Run], name: str, kind: str
) -> None:
    bilm = frozen()
    run, calls = cached(bilm), []
    run(SOME)
    hook = getattr(bilm.get_submodule(name), kind)(lambda *_: calls.append(1))
    run(SOME)
    assert calls
    hook.remove()


@CACHES
def test_a_hook_that_is_removed_has_no_effect(cached: Callable[[Bilm], Run]) -> None:
    bilm = frozen()
    run, expected = cached(bilm), cached(frozen())
    before = run(SOME)
    hook = bilm.token_encoder.highways[0].register_forward_hook(lambda _, __, output: 0 * output)
    assert not torch.allclose(run(SOME), before)
    run(OTHERS)
    hook.remove()
    assert torch.equal(run(SOME), before)
    assert torch.equal(run(OTHERS), expected(OTHERS))


@CACHES
def test_hooks_of_allennlp_change_nothing(cached: Callable[[Bilm], Run]) -> None:
    """Every module has one in the first batch, also of a resumed training run."""
    bilm, counts = frozen(), []
    run, expected = cached(bilm), cached(frozen())
    expected(IDS)
    run(IDS)
    NormalizationBiasVerification(bilm).register_hooks()
    before_forward(bilm.token_encoder, counts.append)
    for rows in ([0], [0, 1, 2], [5, 3, 3, 1], [*range(len(IDS))]):
        longest = max(len(SENTENCES[row]) for row in rows)
        assert torch.equal(run(IDS[rows, :longest]), expected(IDS[rows, :longest]))
    assert not counts  # all is cached


class Adapter(torch.nn.Module):
    """Doubles what it reads, or passes it through."""

    active = True

    def __init__(self, adapted: torch.nn.Module) -> None:
        super().__init__()
        self.adapted = adapted

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = self.adapted(inputs)
        return 2 * output if self.active else output


@CACHES
def test_an_adapter_that_is_switched_off(cached: Callable[[Bilm], Run]) -> None:
    bilm = frozen()
    expected = cached(frozen())(SOME)
    adapter = bilm.token_encoder.projection = Adapter(bilm.token_encoder.projection)
    run = cached(bilm)
    assert not torch.allclose(run(SOME), expected)
    adapter.active = False
    assert torch.equal(run(SOME), expected)


class Scaled(torch.nn.Module):
    """Parametrization by a number that is not a tensor."""

    factor = 2.0

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return self.factor * weight


@CACHES
def test_a_parametrization_that_changes(cached: Callable[[Bilm], Run]) -> None:
    bilm = frozen()
    expected = cached(frozen())(SOME)
    scaled = Scaled()
    parametrize.register_parametrization(bilm.token_encoder.projection, "weight", scaled)
    run = cached(bilm)
    assert not torch.allclose(run(SOME), expected)
    scaled.factor = 1.0
    assert torch.equal(run(SOME), expected)
