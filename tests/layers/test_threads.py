"""Several threads: the same gradients every time and on one thread, and a share of torch's each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
import torch

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.fast.compiled.threads import run_parts
from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.layers.torch_threads import torch_threads
from tests.helpers.random_bilm import random_words

TIMES = 8

Gradients = Callable[[], list[torch.Tensor]]


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    with torch_threads(2):
        yield


def bilm() -> Bilm:
    return Bilm(BilmConfig(((1, 8), (3, 24)), projection_dim=128, cell_dim=64))


def run_streams() -> list[torch.Tensor]:
    module = bilm()
    words = batch_to_ids([random_words(400)])[0]
    index = torch.randint(len(words), (2, 32, 20))
    hidden, _ = module.run_streams(words, index, module.zero_states(32))
    hidden.square().sum().backward()
    return [p.grad for p in module.parameters() if p.grad is not None]


def read_sentences() -> list[torch.Tensor]:
    """Gradients of a biLM that is trained with its task."""
    module = bilm()
    words = random_words(100)
    sentences = [[words[i] for i in torch.randint(100, (20,)).tolist()] for _ in range(60)]
    module(batch_to_ids(sentences)).layers.square().sum().backward()
    return [p.grad for p in module.parameters() if p.grad is not None]


def sample_softmax() -> list[torch.Tensor]:
    softmax, sampler = Softmax(500, 128), LogUniformSampler(500, 200)
    hidden = torch.randn(20_000, 128, requires_grad=True)
    targets = torch.randint(20, (20_000,))
    sampled_negative_log_likelihood(softmax, sampler, hidden, targets).sum().backward()
    return [p.grad for p in (*softmax.parameters(), hidden) if p.grad is not None]


def seeded(gradients: Gradients) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return gradients()


GRADIENTS = [run_streams, read_sentences, sample_softmax]


@pytest.mark.parametrize("gradients", GRADIENTS)
def test_gradients_are_bit_identical_on_two_threads(gradients: Gradients) -> None:
    first, *others = (seeded(gradients) for _ in range(TIMES))
    for other in others:
        assert all(torch.equal(a, b) for a, b in zip(first, other))


@pytest.mark.parametrize("gradients", GRADIENTS)
def test_gradients_are_those_of_one_thread(gradients: Gradients) -> None:
    found = seeded(gradients)
    with torch_threads(1):
        expected = seeded(gradients)
    for one, other in zip(found, expected, strict=True):
        bound = 1e-5 * other.abs().max().item()
        torch.testing.assert_close(one, other, atol=bound, rtol=0)


def test_parts_share_torchs_threads() -> None:
    def threads_after_a_product(_: int) -> int:
        torch.randn(300, 300) @ torch.randn(300, 300)
        return torch.get_num_threads()

    with torch_threads(4):
        assert run_parts(threads_after_a_product, range(2)) == [2, 2]
        assert torch.get_num_threads() == 4


@pytest.mark.parametrize("in_caller", [True, False])
def test_an_error_in_any_thread_is_raised_when_no_part_runs(in_caller: bool) -> None:
    caller, both_run = threading.current_thread(), threading.Barrier(2, timeout=10)
    ended = []

    def run(part: int) -> None:
        both_run.wait()
        if (threading.current_thread() is caller) == in_caller:
            raise ValueError(f"part {part}")
        time.sleep(0.1)
        ended.append(part)

    with pytest.raises(ValueError, match="part"):
        run_parts(run, range(2))
    assert len(ended) == 1
    assert torch.get_num_threads() == 2
