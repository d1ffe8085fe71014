from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from elmo_plugin.layers import Bilm, Elmo, batch_to_ids
from elmo_plugin.layers.fast.activation_cache import ActivationCache
from elmo_plugin.layers.warm_state import record_warm_state
from tests.helpers.bfloat16 import needs_bfloat16
from tests.helpers.forward_calls import before_forward
from tests.helpers.random_bilm import SENTENCES, random_bilm
from tests.helpers.weight_changes import CHANGES

IDS = batch_to_ids(SENTENCES)


def frozen() -> Bilm:
    return random_bilm().requires_grad_(False)


def count_read(bilm: Bilm) -> list[int]:
    """Record the number of distinct sentences in each pass."""
    counts: list[int] = []
    before_forward(bilm, lambda ids: counts.append(len(torch.unique(ids, dim=0))))
    return counts


def training_elmo(bilm: Bilm) -> Elmo:
    return Elmo(bilm, dropout=0.0, cache=ActivationCache()).train()


def test_each_sentence_is_read_once() -> None:
    bilm = frozen()
    elmo, counts = training_elmo(bilm), count_read(bilm)
    first = elmo(IDS)
    for rows in ([0, 1], [5, 2, 3], [4, 4]):
        longest = max(len(SENTENCES[row]) for row in rows)
        for mixed, expected in zip(elmo(IDS[rows, :longest]), first):
            assert torch.equal(mixed, expected[rows, :longest])
    elmo.eval()  # as at the end of an epoch
    elmo(batch_to_ids([["a", "new", "one"], *SENTENCES]))
    elmo(batch_to_ids([["twice"], ["twice"]]))
    assert counts == [len(SENTENCES), 1, 1]


def test_cached_layers_equal_computed_ones() -> None:
    cache, bilm = ActivationCache(), frozen()
    for sentences in (SENTENCES[:2], SENTENCES[1:4], [[], *SENTENCES], [], [[]]):
        ids = batch_to_ids(sentences)
        found, expected = cache.run(bilm, ids), frozen()(ids)
        assert torch.equal(found.mask, expected.mask)
        assert_close(found.layers, expected.layers, atol=1e-6, rtol=0)


def test_evaluation_does_not_depend_on_an_earlier_training() -> None:
    fresh, trained = training_elmo(frozen()).eval(), training_elmo(frozen())
    trained(batch_to_ids([["other", "sentences"]]))
    counts = [count_read(elmo.bilm) for elmo in (fresh, trained.eval())]
    for elmo in (fresh, trained):
        assert torch.equal(elmo(IDS)[0], elmo(IDS)[0])
    assert counts[0] == counts[1] == [len(SENTENCES)]
    assert_close(fresh(IDS), trained(IDS), atol=1e-6, rtol=0)


def test_changed_initial_state_empties_the_cache() -> None:
    bilm, cache = frozen(), ActivationCache()
    record_warm_state(bilm, [IDS])
    for initial_state in ("zero", "warm", "zero"):
        bilm.initial_state = initial_state
        expected = frozen()
        expected.load_state_dict(bilm.state_dict())
        expected.initial_state = initial_state
        found = cache.run(bilm, IDS).layers
        assert_close(found, expected(IDS).layers, atol=1e-6, rtol=0)


def test_memory_holds_cached_layers_only() -> None:
    cache, bilm = ActivationCache(), frozen()
    cache.run(bilm, IDS)
    assert cache._bytes > 0
    storages = {s.untyped_storage().data_ptr(): s for s in cache._contents.sentences.values()}
    assert sum(s.untyped_storage().nbytes() for s in storages.values()) == cache._bytes


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_weights_empty_the_cache(change: Callable[[Bilm], object]) -> None:
    cache, bilm = ActivationCache(), frozen()
    before = cache.run(bilm, IDS).layers
    change(bilm)
    if change is CHANGES["training uncounted"]:
        cache.run(bilm.requires_grad_(True), IDS)  # as in every step of a training run
        bilm.requires_grad_(False)
    fresh = frozen()
    fresh.load_state_dict(bilm.state_dict())
    after = cache.run(bilm, IDS).layers
    assert not torch.equal(after, before)
    assert_close(after, fresh(IDS).layers, atol=1e-6, rtol=0)


def test_changed_warm_state_empties_the_cache() -> None:
    bilm = Bilm(frozen().config, "warm").eval().requires_grad_(False)
    cache = ActivationCache()
    before = cache.run(bilm, IDS).layers
    bilm.warm_hidden.fill_(0.1)
    assert not torch.equal(cache.run(bilm, IDS).layers, before)


def test_gradients_of_an_unfrozen_bilm() -> None:
    bilm = random_bilm()
    training_elmo(bilm)(IDS)[0].sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in bilm.parameters())


def test_carried_state_is_never_cached() -> None:
    ours, expected = (Bilm(frozen().config, "carried").requires_grad_(False) for _ in range(2))
    expected.load_state_dict(ours.state_dict())
    cache = ActivationCache()
    for _ in range(3):
        assert torch.equal(cache.run(ours, IDS).layers, expected(IDS).layers)


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param({"dropout": 0.5}, id="dropout"),
        pytest.param({"precision": torch.bfloat16}, id="bfloat16", marks=needs_bfloat16),
    ],
)
def test_layers_of_training_are_not_cached_if_they_differ(noise: dict[str, Any]) -> None:
    bilm = Bilm(random_bilm().config, **noise).requires_grad_(False)
    cache, expected = ActivationCache(), bilm.eval()(IDS).layers
    cache.fill(bilm.train(), [IDS])
    assert not torch.equal(cache.run(bilm, IDS).layers, expected)
    assert_close(cache.run(bilm.eval(), IDS).layers, expected, atol=1e-6, rtol=0)


def test_entries_cached_in_inference_mode_serve_training() -> None:
    cache, bilm = ActivationCache(), frozen()
    with torch.inference_mode():
        cache.run(bilm, IDS)
    head = torch.nn.Linear(bilm.output_dim, 1)
    head(cache.run(bilm, IDS).layers).sum().backward()
    assert head.weight.grad is not None and head.weight.grad.any()


def test_memory_limit() -> None:
    bilm = frozen()
    token = bilm.mixture_size * bilm.output_dim * 4
    cache, counts = ActivationCache(max_bytes=8 * token), count_read(bilm)
    for _ in range(2):
        for row in range(len(SENTENCES)):
            found = cache.run(bilm, IDS[row : row + 1])
            assert_close(found.layers, bilm(IDS[row : row + 1]).layers, atol=1e-6, rtol=0)
            counts.pop()
    # The first two, of 7 and 1 tokens, fill it.
    assert sum(map(len, SENTENCES[:2])) == 8
    assert len(counts) == 2 * len(SENTENCES) - 2


def test_weights_that_change_during_a_pass_take_no_room() -> None:
    """Another thread that shares the cache may change them."""
    bilm = frozen()
    size = sum(map(len, SENTENCES)) * bilm.mixture_size * bilm.output_dim * 4
    cache, counts = ActivationCache(max_bytes=size), count_read(bilm)

    def change(_: torch.Tensor) -> None:
        if len(counts) == 1:
            bilm.warm_hidden.add_(0)
            cache.run(bilm, IDS[:0])

    before_forward(bilm.lstm, change)
    for _ in range(3):
        cache.run(bilm, IDS)
    assert counts == [len(SENTENCES)] * 2


def test_a_full_cache_computes_no_more_than_none() -> None:
    bilm, shapes = frozen(), []
    before_forward(bilm, lambda ids: shapes.append(ids.shape))
    ActivationCache(max_bytes=0).run(bilm, IDS)
    assert shapes == [IDS.shape]


@pytest.mark.parametrize("ids", [IDS.float(), IDS[..., :7], IDS + 300, IDS.flip(1)], ids=str)
def test_invalid_ids_raise_the_error_of_the_bilm(ids: torch.Tensor) -> None:
    cache, bilm = ActivationCache(), frozen()
    cache.run(bilm, IDS)
    with pytest.raises(ValueError, match="character_ids: expected") as of_bilm:
        bilm(ids)
    with pytest.raises(ValueError) as of_cache:
        cache.run(bilm, ids)
    assert str(of_cache.value) == str(of_bilm.value)


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "pickle"]
)
def test_copy_starts_empty(duplicate: Callable[[Elmo], Elmo]) -> None:
    elmo = training_elmo(frozen())
    expected = elmo(IDS)
    other = duplicate(elmo)
    counts = count_read(other.bilm)
    assert_close(other(IDS), expected)
    assert counts == [len(SENTENCES)]
