"""Batches of sentences of similar length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elmo_plugin.embedding.batches import MAX_BATCH_TOKENS, batched, batches_by_length


@given(st.lists(st.integers(0, 9000), max_size=60), st.integers(1, 9))
def test_each_sentence_is_in_a_batch_within_the_limits(lengths: list[int], batch_size: int) -> None:
    batches = list(batches_by_length(lengths, batch_size))
    assert sorted(i for batch in batches for i in batch) == [i for i, n in enumerate(lengths) if n]
    for batch in batches:
        padded = len(batch) * max(lengths[i] for i in batch)
        assert len(batch) <= batch_size and (len(batch) == 1 or padded <= MAX_BATCH_TOKENS)


@given(st.lists(st.integers()), st.integers(1, 9))
def test_lists_hold_all_items_in_order(items: list[int], size: int) -> None:
    lists = list(batched(items, size))
    assert [item for one in lists for item in one] == items
    assert all(len(one) == size for one in lists[:-1])


@pytest.mark.parametrize("size", [0, -1])
def test_lists_of_no_items_raise(size: int) -> None:
    with pytest.raises(ValueError, match=f"batch_size: expected a positive integer, got {size}"):
        list(batched([1], size))
