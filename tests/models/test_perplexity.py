from __future__ import annotations

import math
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_plugin.models.perplexity import Perplexity


def _count(metric: Perplexity, losses: list[float], predictions: list[int]) -> None:
    metric(torch.tensor(losses), torch.tensor(predictions))


def test_exp_of_mean_losses_over_all_batches() -> None:
    metric = Perplexity()
    _count(metric, [6.0, 2.0], [3, 2])
    _count(metric, [2.0, 4.0], [1, 1])
    assert metric.mean() == pytest.approx((8 + 6) / (4 + 3))
    expected = {
        "forward_perplexity": math.exp(8 / 4),
        "backward_perplexity": math.exp(6 / 3),
        "perplexity": math.exp(14 / 7),
    }
    assert metric.get_metric() == pytest.approx(expected)
    assert metric.get_metric(reset=True) == pytest.approx(expected)
    _count(metric, [1.0, 3.0], [1, 1])
    assert metric.get_metric()["perplexity"] == pytest.approx(math.exp(2))


def test_counted() -> None:
    metric = Perplexity()
    assert not metric.counted
    _count(metric, [0.0, 0.0], [1, 1])
    assert metric.counted
    metric.reset()
    assert not metric.counted


def test_small_losses_count_beside_a_large_sum() -> None:
    # In single precision, a sum of 2 ** 24 would not grow by one.
    metric = Perplexity()
    _count(metric, [2.0**24, 0.0], [1, 1])
    for _ in range(8):
        _count(metric, [1.0, 0.0], [0, 0])
    assert metric.mean() == (2**24 + 8) / 2


def test_perplexity_too_large_for_a_float_is_infinite() -> None:
    metric = Perplexity()
    _count(metric, [1e6, 1.0], [1, 1])
    assert metric.get_metric()["perplexity"] == math.inf


def _count_as_one_of_two(rank: int, meeting_point: str, answers: Any) -> None:
    torch.distributed.init_process_group("gloo", meeting_point, rank=rank, world_size=2)
    metric = Perplexity()
    _count(metric, [1.0 + rank, 5.0 * rank], [1, 1 + rank])
    answers.put(metric.get_metric())
    torch.distributed.destroy_process_group()


def test_sums_over_processes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    for rank in range(2):
        arguments = (rank, f"file://{tmp_path}/meeting_point", answers)
        context.Process(target=_count_as_one_of_two, args=arguments, daemon=True).start()
    metrics = [answers.get(timeout=60) for _ in range(2)]
    expected = {
        "forward_perplexity": math.exp(3 / 2),
        "backward_perplexity": math.exp(5 / 3),
        "perplexity": math.exp(8 / 5),
    }
    assert metrics == [pytest.approx(expected)] * 2
