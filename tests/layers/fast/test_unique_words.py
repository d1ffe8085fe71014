from __future__ import annotations

import torch

from elmo_plugin.layers.fast.unique_words import _hash, unique_words


def _assert_distinct(words: torch.Tensor) -> None:
    distinct, index = unique_words(words)
    assert torch.equal(distinct[index], words)
    assert {tuple(w) for w in distinct.tolist()} == {tuple(w) for w in words.tolist()}
    assert len(distinct) == len({tuple(w) for w in words.tolist()})


def test_distinct_words_and_their_index() -> None:
    generator = torch.Generator().manual_seed(0)
    for count, width, most in ((0, 50, 262), (1, 50, 262), (300, 3, 3), (500, 50, 262), (20, 2, 1)):
        _assert_distinct(torch.randint(0, most, (count, width), generator=generator))


def test_hash_collision() -> None:
    # With factors a and b, the word (b, -a) has the hash of (0, 0).
    a, b = _hash(torch.eye(2, dtype=torch.long)).tolist()
    words = torch.tensor([[0, 0], [b, -a], [1, 2], [0, 0], [b, -a]])
    assert _hash(words)[0] == _hash(words)[1]
    _assert_distinct(words)


def test_default_device_is_not_that_of_the_words() -> None:
    words = torch.tensor([[1, 2], [3, 4], [1, 2]])
    with torch.device("meta"):
        distinct, index = unique_words(words)
    assert torch.equal(distinct[index], words) and len(distinct) == 2
