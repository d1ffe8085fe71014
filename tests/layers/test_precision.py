"""A sentence's vectors agree in any batch up to float32 rounding."""

from __future__ import annotations

import pytest
import torch

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.torch_threads import torch_threads
from elmo_plugin.pretrained import load_pretrained_bilm
from tests.helpers.random_bilm import SENTENCES, random_words

RELATIVE = 2e-6
"""Largest difference relative to the sentence's largest absolute value, a few units in the
seventh digit."""


@pytest.mark.parametrize("threads", [1, 2])
def test_vectors_alone_and_in_a_batch_agree_to_rounding(threads: int) -> None:
    bilm = load_pretrained_bilm().requires_grad_(False)
    lengths = torch.randint(1, 40, (60,), generator=torch.Generator().manual_seed(0)).tolist()
    sentences = [*SENTENCES, *(random_words(n, seed=i) for i, n in enumerate(lengths))]
    with torch_threads(threads):
        batch = bilm(batch_to_ids(sentences))
        for row, sentence in enumerate(sentences):
            alone = bilm(batch_to_ids([sentence])).layers[:, 0]
            found = batch.layers[:, row, : len(sentence)]
            assert (found - alone).abs().max() <= RELATIVE * alone.abs().max()


def test_same_batch_is_bit_identical() -> None:
    bilm = load_pretrained_bilm().requires_grad_(False)
    ids = batch_to_ids(SENTENCES)
    first = bilm(ids).layers
    bilm._word_cache.clear()
    bilm(batch_to_ids([random_words(30), *SENTENCES[::-1]]))
    assert torch.equal(bilm(ids).layers, first)
