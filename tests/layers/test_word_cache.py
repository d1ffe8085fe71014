from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.layers.word_cache import WordCache
from tests.random_bilm import SENTENCES, random_bilm

IDS = batch_to_ids(SENTENCES)
WORDS = IDS[IDS.any(-1)]


def _frozen() -> Bilm:
    return random_bilm().requires_grad_(False)


def _count_encoded(bilm: Bilm) -> list[int]:
    counts: list[int] = []
    bilm.token_encoder.register_forward_hook(lambda _, inputs, __: counts.append(len(inputs[0])))
    return counts


def test_words_are_encoded_once() -> None:
    bilm = _frozen()
    counts = _count_encoded(bilm)
    first = bilm(IDS).layers
    assert torch.equal(bilm(IDS).layers, first)
    bilm(batch_to_ids([["The", "new", "cat"]]))
    distinct = len({tuple(word) for word in WORDS.tolist()} | {("<S>",), ("</S>",)})
    # SENTENCES hold both boundaries as words too.
    assert counts == [distinct - 2, 1]


def test_remembered_words_are_exact() -> None:
    bilm = _frozen()
    for sentences in (SENTENCES[:2], SENTENCES[1:4], SENTENCES):
        ids = batch_to_ids(sentences)
        torch.testing.assert_close(bilm(ids).layers, _frozen()(ids).layers, atol=1e-6, rtol=0)


def _train_a_step(bilm: Bilm) -> None:
    optimizer = torch.optim.SGD(bilm.requires_grad_(True).parameters(), lr=0.1)
    bilm(IDS).layers.square().sum().backward()
    optimizer.step()
    bilm.requires_grad_(False)


def _train_a_step_unseen(bilm: Bilm) -> None:
    # As AllenNLP's DenseSparseAdam and moving averages do; PyTorch counts no change.
    bilm.requires_grad_(True)
    bilm(IDS)
    for parameter in bilm.parameters():
        parameter.data.mul_(0.5)
    bilm.requires_grad_(False)


def _there_and_back(bilm: Bilm) -> None:
    bilm.half().float()


CHANGES: dict[str, Callable[[Bilm], object]] = {
    "training": _train_a_step,
    "training unseen": _train_a_step_unseen,
    "loading": lambda bilm: bilm.load_state_dict(random_bilm(seed=1).state_dict()),
    "assigning": lambda bilm: bilm.load_state_dict(random_bilm(seed=1).state_dict(), assign=True),
    "initializing": lambda bilm: torch.nn.init.normal_(bilm.token_encoder.projection.bias),
    "rounding": _there_and_back,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_of_the_weights_is_noticed(change: Callable[[Bilm], object]) -> None:
    bilm = _frozen()
    before = bilm(IDS).layers
    change(bilm)
    fresh = _frozen()
    fresh.load_state_dict(bilm.state_dict())
    after = bilm(IDS).layers
    assert not torch.equal(after[0], before[0])
    torch.testing.assert_close(after, fresh(IDS).layers, atol=1e-6, rtol=0)


def test_nothing_is_remembered_while_weights_can_be_trained() -> None:
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
def test_a_copy_goes_its_own_way(duplicate: Callable[[Bilm], Bilm]) -> None:
    bilm = _frozen()
    before = bilm(IDS).layers
    other = duplicate(bilm)
    assert torch.equal(other(IDS).layers, before)
    other.load_state_dict(random_bilm(seed=1).state_dict())
    torch.testing.assert_close(other(IDS).layers, random_bilm(seed=1)(IDS).layers.detach())
    assert torch.equal(bilm(IDS).layers, before)


def test_what_inference_mode_remembers_serves_training() -> None:
    bilm = _frozen()
    counts = _count_encoded(bilm)
    with torch.inference_mode():
        bilm(IDS[:2])
    head = torch.nn.Linear(bilm.output_dim, 1)
    for ids in (IDS[:2], IDS):  # old words alone, and with new ones
        head(bilm(ids).layers).sum().backward()
    assert len(counts) == 2
    assert head.weight.grad is not None and head.weight.grad.any()


def test_weights_made_in_inference_mode() -> None:
    with torch.inference_mode():
        bilm = _frozen()
        before = bilm(IDS).layers
        bilm.token_encoder.projection.weight.mul_(2)
        assert not torch.allclose(bilm(IDS).layers[0], before[0])


def test_no_more_words_than_allowed() -> None:
    encoder = _frozen().token_encoder
    cache = WordCache(max_words=7)
    expected = encoder(WORDS)
    distinct = torch.unique(WORDS, dim=0)
    for part in distinct.split(3):
        cache.encode(encoder, part)
        assert len(cache._rows) <= 7 and len(cache._vectors) <= 7
    torch.testing.assert_close(cache.encode(encoder, WORDS), expected, atol=1e-6, rtol=0)


def test_threads_do_not_mix_words_up() -> None:
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
