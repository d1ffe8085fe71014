from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from elmo_plugin.layers import BilmConfig, word_to_ids
from elmo_plugin.layers.char_encoder import CharacterEncoder
from tests.random_bilm import SMALL, random_bilm

CONFIGS = [SMALL, replace(SMALL, filters=((1, 2), (7, 5))), replace(SMALL, filters=((50, 3),))]


@pytest.mark.parametrize("config", CONFIGS, ids=["narrow", "wide", "whole word"])
def test_leaving_out_idle_padding_changes_nothing(config: BilmConfig) -> None:
    encoder = random_bilm(config).token_encoder.double()
    words = torch.tensor([word_to_ids("x" * length) for length in range(51)])
    whole = encoder(words)  # the longest word keeps every position
    for length, word in enumerate(words):
        alone = encoder(word.unsqueeze(0))[0]
        torch.testing.assert_close(alone, whole[length], atol=1e-12, rtol=0, msg=str(length))


def test_padding_is_left_out() -> None:
    seen = []
    encoder = random_bilm().token_encoder
    encoder.characters.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0].shape))
    encoder(torch.tensor([word_to_ids("ab"), word_to_ids("abcd")]))
    # Four letters, two word boundaries, one window of padding for the widest filter.
    assert seen == [(2, 4 + 2 + 3)]


def test_initial_values_as_published() -> None:
    config = BilmConfig()
    torch.manual_seed(0)
    weights = CharacterEncoder(config).state_dict()
    characters = weights["characters.weight"]
    assert not characters[0].any()
    assert 0.95 < characters[1:].abs().max() <= 1.0
    for i in range(len(config.filters)):
        assert 0.04 < weights[f"convolutions.{i}.weight"].abs().max() <= 0.05
    assert (weights["highways.1.carry.bias"] == -2.0).all()
    for name in ("highways.0.carry", "highways.1.transform", "projection"):
        deviation = weights[f"{name}.weight"].std().item()
        assert deviation == pytest.approx(config.num_filters**-0.5, rel=0.01)
