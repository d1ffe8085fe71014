from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn.utils import prune
from torch.testing import assert_close

from elmo_plugin.layers import BilmConfig, word_to_ids
from elmo_plugin.layers.char_encoder import CharacterEncoder
from tests.helpers.random_bilm import FULL, SMALL, random_bilm

CONFIGS = [SMALL, replace(SMALL, filters=((1, 2), (7, 5))), replace(SMALL, filters=((50, 3),))]


@pytest.mark.parametrize("config", CONFIGS, ids=["narrow", "wide", "whole word"])
def test_skipped_padding_does_not_change_vectors(config: BilmConfig) -> None:
    encoder = random_bilm(config).token_encoder.double()
    words = torch.tensor([word_to_ids("x" * length) for length in range(51)])
    padded = torch.nn.functional.conv1d  # over every position of every word
    characters = encoder.characters(words).transpose(1, 2)
    convolved = [padded(characters, *conv.parameters()).amax(-1) for conv in encoder.convolutions]
    activated = encoder.activation(torch.cat(convolved, dim=-1))
    whole = encoder.projection(encoder.highways(activated))
    assert_close(encoder(words), whole, atol=1e-12, rtol=0)
    for length, word in enumerate(words):
        alone = encoder(word.unsqueeze(0))[0]
        torch.testing.assert_close(alone, whole[length], atol=1e-12, rtol=0, msg=str(length))


def test_words_are_cut_to_about_their_length() -> None:
    seen = []
    # Of float64, which compiled loops do not take.
    encoder = random_bilm().token_encoder.double()
    encoder.characters.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0].shape))
    words = ["ab", "a" * 12, "abcd", "b" * 60]
    encoder(torch.tensor([word_to_ids(word) for word in words]))
    assert sum(len_ for len_, _ in seen) == len(words)
    # Each has room for two word boundaries and one window of padding for the widest filter.
    assert [width for _, width in seen] == sorted(width for _, width in seen)
    assert 4 + 2 + 3 <= seen[0][1] < 12 + 2 + 3 <= seen[1][1] < seen[-1][1] == 50


def test_vector_of_a_word_does_not_depend_on_other_words() -> None:
    encoder = random_bilm(FULL).token_encoder.eval()
    words = ["", "a", "word", "of", "many", "lengths", "antidisestablishment", "x" * 70, "漢" * 9]
    ids = torch.tensor([word_to_ids(word) for word in words])
    together = encoder(ids)
    for i in range(len(words)):
        assert_close(encoder(ids[i : i + 1])[0], together[i], atol=1e-6, rtol=0)
        assert_close(encoder(ids.flip(0)).flip(0), together, atol=1e-6, rtol=0)


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


def test_pruned_convolutions_train_and_load() -> None:
    """Pruning computes a weight in a hook, before each forward pass of its module."""
    words = torch.tensor([word_to_ids(word) for word in ("a", "longer")])
    encoders = [random_bilm(seed=seed).token_encoder for seed in (1, 2)]
    for encoder in encoders:
        for convolution in encoder.convolutions:
            prune.l1_unstructured(convolution, "weight", 0.5)
    first, second = encoders
    optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        first(words).sum().backward()
        optimizer.step()
    second.load_state_dict(first.state_dict())
    expected = first.double()(words)
    assert_close(second(words).double(), expected, atol=1e-5, rtol=1e-4)
