from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.fast.word_cache import WordCache
from elmo_plugin.layers.torch_threads import torch_threads
from tests.helpers.bfloat16 import needs_bfloat16
from tests.helpers.forward_calls import before_forward
from tests.helpers.processes import run_in_another_process
from tests.helpers.random_bilm import SENTENCES, random_bilm, random_words
from tests.helpers.weight_changes import CHANGES

IDS = batch_to_ids(SENTENCES)
WORDS = IDS[IDS.any(-1)]


def _frozen() -> Bilm:
    return random_bilm().requires_grad_(False)


def _count_encoded(bilm: Bilm) -> list[bytes]:
    """Record the words that the encoder gets; the padding of a block repeats one of them."""
    words: list[bytes] = []
    before_forward(
        bilm.token_encoder, lambda ids: words.extend({row.numpy().tobytes() for row in ids})
    )
    return words


def test_words_are_encoded_once() -> None:
    bilm = _frozen()
    encoded = _count_encoded(bilm)
    first = bilm(IDS).layers
    # SENTENCES hold both boundaries as words too.
    assert len(encoded) == len(set(encoded)) == len({tuple(word) for word in WORDS.tolist()})
    encoded.clear()
    assert torch.equal(bilm(IDS).layers, first)
    bilm(batch_to_ids([["The", "new", "cat"]]))
    assert len(encoded) == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_vectors_are_bit_identical_in_every_batch(threads: int) -> None:
    words = torch.unique(batch_to_ids([random_words(300)])[0], dim=0)
    bilm = Bilm(BilmConfig(((1, 20), (3, 33)), projection_dim=19, cell_dim=8)).eval()
    bilm.requires_grad_(False)
    with torch_threads(threads):
        expected = bilm.encode_words(words)
        for size in (1, 2, 3, 5, 8, 13, 40, 100):
            bilm._word_cache.clear()
            order = torch.randperm(len(words))
            parts = [bilm.encode_words(words[part]) for part in order.split(size)]
            assert torch.equal(torch.cat(parts), expected[order])


def test_cached_words_equal_computed_ones() -> None:
    bilm = _frozen()
    for sentences in (SENTENCES[:2], SENTENCES[1:4], SENTENCES):
        ids = batch_to_ids(sentences)
        torch.testing.assert_close(bilm(ids).layers, _frozen()(ids).layers, atol=1e-6, rtol=0)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_weights_empty_the_cache(change: Callable[[Bilm], object]) -> None:
    bilm = _frozen()
    before = bilm(IDS).layers
    change(bilm)
    fresh = _frozen()
    fresh.load_state_dict(bilm.state_dict())
    after = bilm(IDS).layers
    assert not torch.equal(after[0], before[0])
    torch.testing.assert_close(after, fresh(IDS).layers, atol=1e-6, rtol=0)


def test_nothing_is_cached_while_weights_require_gradients() -> None:
    bilm = random_bilm()
    with torch.no_grad():
        before = bilm(IDS).layers
        for parameter in bilm.parameters():
            parameter.data.mul_(0.5)
        after = bilm(IDS).layers
    assert not torch.allclose(after[0], before[0])


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))], ids=["copy", "pickle"]
)
def test_copy_is_independent(duplicate: Callable[[Bilm], Bilm]) -> None:
    bilm = _frozen()
    before = bilm(IDS).layers
    other = duplicate(bilm)
    assert torch.equal(other(IDS).layers, before)
    other.load_state_dict(random_bilm(seed=1).state_dict())
    torch.testing.assert_close(other(IDS).layers, random_bilm(seed=1)(IDS).layers.detach())
    assert torch.equal(bilm(IDS).layers, before)


def test_entries_cached_in_inference_mode_serve_training() -> None:
    bilm = _frozen()
    encoded = _count_encoded(bilm)
    with torch.inference_mode():
        bilm(IDS[:2])
    head = torch.nn.Linear(bilm.output_dim, 1)
    for ids in (IDS[:2], IDS):  # old words alone, and with new ones
        head(bilm(ids).layers).sum().backward()
    assert len(encoded) == len(set(encoded))
    assert head.weight.grad is not None and head.weight.grad.any()


def test_weights_created_in_inference_mode() -> None:
    with torch.inference_mode():
        bilm = _frozen()
        before = bilm(IDS).layers
        bilm.token_encoder.projection.weight.mul_(2)
        assert not torch.allclose(bilm(IDS).layers[0], before[0])


def test_replicas_of_data_parallel_share_no_cache() -> None:
    bilm = _frozen()
    encoded = _count_encoded(bilm)
    replica = bilm._replicate_for_data_parallel()
    for number in (1, 2):
        replica.encode_words(WORDS)
        assert len(encoded) == number * len(WORDS.unique(dim=0))


def test_word_limit() -> None:
    encoder = _frozen().token_encoder
    cache = WordCache(max_words=7)
    expected = encoder(WORDS)
    distinct = torch.unique(WORDS, dim=0)
    for part in distinct.split(3):
        cache.encode(encoder, part)
        assert 0 < len(cache) <= 7
    torch.testing.assert_close(cache.encode(encoder, WORDS), expected, atol=1e-6, rtol=0)


def test_threads_get_the_right_words() -> None:
    encoder = _frozen().token_encoder
    expected = encoder(WORDS)
    for _ in range(20):
        cache = WordCache()
        parts = [torch.randperm(len(WORDS))[:5] for _ in range(40)]
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(cache.encode, encoder, WORDS[part]) for part in parts]
        for part, job in zip(parts, jobs):
            torch.testing.assert_close(job.result(), expected[part], atol=1e-6, rtol=0)
        again = cache.encode(encoder, WORDS)
        torch.testing.assert_close(again, expected, atol=1e-6, rtol=0)


def test_clearing_during_lookups() -> None:
    """Another thread empties the cache all the time."""
    encoder = _frozen().token_encoder
    expected = encoder(WORDS)
    cache, done = WordCache(), threading.Event()

    def keep_clearing() -> None:
        while not done.is_set():
            cache.clear()

    with ThreadPoolExecutor(9) as pool:
        clearing = pool.submit(keep_clearing)
        try:
            jobs = [pool.submit(cache.encode, encoder, WORDS) for _ in range(200)]
            for job in jobs:
                torch.testing.assert_close(job.result(), expected, atol=1e-6, rtol=0)
        finally:
            done.set()
        clearing.result()


def test_clearing_in_the_middle_of_a_lookup() -> None:
    encoder = _frozen().token_encoder
    expected, cache = encoder(WORDS), WordCache()
    cache.encode(encoder, WORDS)

    class Clearing(dict[bytes, torch.Tensor]):
        def __contains__(self, key: object) -> bool:
            cache.clear()
            return super().__contains__(key)

    fingerprint, vectors = cache._current
    cache._current = (fingerprint, Clearing(vectors))
    torch.testing.assert_close(cache.encode(encoder, WORDS), expected, atol=1e-6, rtol=0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_during_a_lookup() -> None:
    """The cache works in a process that forks while another thread encodes."""
    bilm = _frozen()
    encoding, forked = threading.Event(), threading.Event()

    def wait(_: torch.Tensor) -> None:
        if threading.current_thread() is thread:
            encoding.set()
            forked.wait(20)

    before_forward(bilm.token_encoder, wait)
    thread = threading.Thread(target=bilm, args=(IDS,))
    thread.start()
    assert encoding.wait(20)

    def encode() -> None:
        signal.alarm(20)  # ends a process that hangs
        bilm(IDS[1:2])

    status = run_in_another_process(encode)
    forked.set()
    thread.join()
    assert status == 0


@needs_bfloat16
def test_training_in_another_precision_is_not_cached() -> None:
    """Training and evaluation do not share cached vectors."""
    bilm = random_bilm()
    lower = Bilm(bilm.config, precision=torch.bfloat16)
    lower.load_state_dict(bilm.state_dict())
    lower.token_encoder.requires_grad_(False)
    expected = bilm.eval().requires_grad_(False).encode_words(WORDS)
    first = lower.train().encode_words(WORDS)
    assert not torch.equal(first, expected)
    assert torch.equal(lower.eval().encode_words(WORDS), expected)
    assert torch.equal(lower.train().encode_words(WORDS), first)
