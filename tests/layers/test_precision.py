"""How exactly a sentence's vectors are the same in any batch: to float32 rounding."""

from __future__ import annotations

import pytest
import torch

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.pretrained import load_pretrained_bilm
from tests.helpers.random_bilm import SENTENCES, random_words, threads_set_to

RELATIVE = 2e-6
"""Largest difference over the sentence's largest absolute value, as README states it."""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sentence_alone_and_in_a_batch(threads: int) -> None:
    bilm = load_pretrained_bilm().requires_grad_(False)
    lengths = torch.randint(1, 40, (60,), generator=torch.Generator().manual_seed(0)).tolist()
    sentences = [*SENTENCES, *(random_words(n, seed=i) for i, n in enumerate(lengths))]
    with threads_set_to(threads):
        batch = bilm(batch_to_ids(sentences))
        for row, sentence in enumerate(sentences):
            alone = bilm(batch_to_ids([sentence])).layers[:, 0]
            found = batch.layers[:, row, : len(sentence)]
            assert (found - alone).abs().max() <= RELATIVE * alone.abs().max()


def test_the_same_batch_again() -> None:
    """Bit-identical, whatever was read in between."""
    bilm = load_pretrained_bilm().requires_grad_(False)
    ids = batch_to_ids(SENTENCES)
    first = bilm(ids).layers
    bilm._word_cache.clear()
    bilm(batch_to_ids([random_words(30), *SENTENCES[::-1]]))
    assert torch.equal(bilm(ids).layers, first)
