from __future__ import annotations

import torch

from elmo_plugin.layers.fast.packing import Packing

LENGTHS = [[3], [1, 1], [2, 5, 1, 5, 3], [4, 4, 4], [1, 2, 3, 4, 5, 6, 7]]


def test_each_step_holds_the_next_word_of_every_sentence_left() -> None:
    for lengths in LENGTHS:
        packing = Packing(torch.tensor(lengths))
        sentences = [[(s, t) for t in range(length)] for s, length in enumerate(lengths)]
        words = torch.tensor([word for sentence in sentences for word in sentence])
        order = sorted(range(len(lengths)), key=lambda s: -lengths[s])
        assert packing.order.tolist() == order
        steps = [[s for s in order if lengths[s] > t] for t in range(max(lengths))]
        assert packing.batch_sizes == [len(step) for step in steps]
        forward = [sentences[s][t] for t, step in enumerate(steps) for s in step]
        backward = [sentences[s][-1 - t] for t, step in enumerate(steps) for s in step]
        assert packing.pack(words).tolist() == [[list(w) for w in d] for d in (forward, backward)]


def test_unpacking_is_the_inverse() -> None:
    for lengths in LENGTHS:
        packing = Packing(torch.tensor(lengths))
        words = torch.randn(sum(lengths), 3)
        assert torch.equal(packing.unpack(packing.pack(words)), torch.cat([words, words], dim=-1))


def test_no_sentences() -> None:
    packing = Packing(torch.zeros(0, dtype=torch.long))
    assert packing.batch_sizes == []
    assert packing.unpack(packing.pack(torch.zeros(0, 3))).shape == (0, 6)
