"""The fast implementations against their plain equivalents in a whole biLM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_plugin.layers import Bilm, backend, batch_to_ids, lstm
from tests.helpers.random_bilm import SENTENCES, random_bilm

IDS = batch_to_ids(SENTENCES)


class NoCache:
    def encode(self, encoder: Callable[..., torch.Tensor], words: torch.Tensor) -> torch.Tensor:
        return encoder(words)

    def clear(self) -> None:
        pass


def plain_lstm(*arguments: Any) -> Any:
    *arguments, precision = arguments
    assert precision is None
    return lstm.lstm(*arguments)


PLAIN: dict[str, Any] = {
    "lstm": plain_lstm,
    "apply_by_length": lambda function, ids, _: function(ids),
    "unique_words": lambda words: (words, torch.arange(len(words))),
    "WordCache": NoCache,
}


def _layers_and_gradients(bilm: Bilm) -> list[torch.Tensor]:
    layers = bilm(IDS).layers
    return [layers, *torch.autograd.grad(layers.square().sum(), list(bilm.parameters()))]


@pytest.mark.parametrize("replaced", [*([name] for name in PLAIN), list(PLAIN)], ids=str)
def test_plain_implementations_give_the_same_layers_and_gradients(
    replaced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _layers_and_gradients(random_bilm().double())
    frozen = random_bilm().double().requires_grad_(False)(IDS).layers
    for name in replaced:
        monkeypatch.setattr(backend, name, PLAIN[name])
    torch.testing.assert_close(_layers_and_gradients(random_bilm().double()), expected)
    found = random_bilm().double().requires_grad_(False)(IDS).layers
    torch.testing.assert_close(found, frozen)
