"""Intervals and paired tests over the instances of a test set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy

from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.reporting.tables import Interval, PValue

NUM_RESAMPLES = 10_000
_SEED = 0
LEVEL = 0.05
_BLOCK = 250  # resamples at a time, which bounds memory


class Difference(NamedTuple):
    """The difference of two systems' mean scores over their seeds, in percent."""

    gain: float
    interval: Interval
    """By bootstrap over instances and seeds."""
    p: PValue
    """Two-sided, by randomization over instances."""

    @property
    def is_significant(self) -> bool:
        """True if p < 0.05 and the interval does not contain 0."""
        return self.p < LEVEL and not self.interval.low <= 0 <= self.interval.high

    def __str__(self) -> str:
        return f"{self.gain:+.2f} ({self.interval.format()}), p = {self.p}"


def mean_score(counts: numpy.ndarray) -> float:
    """Return the mean score over the seeds of counts of shape (seeds..., instances, columns)."""
    return float(score(counts.sum(-2)).mean())


def bootstrap_interval(counts: numpy.ndarray, num_resamples: int = NUM_RESAMPLES) -> Interval:
    """
    Compute the percentile interval of a system's mean score over its seeds.

    # Parameters

    counts : `numpy.ndarray`
        See `score`. Shape (seeds, instances, columns), or with more axes of seeds, such as those
        of the weights and of the training sample.
    num_resamples : `int`, optional (default = `10000`)
        Bootstrap samples with replacement, of all instances, and one seed fewer than there are.
        Seeds of several axes are sampled separately.
    """
    return _interval(*_bootstrap([counts], num_resamples, True))


def compare(
    before: numpy.ndarray,
    after: numpy.ndarray,
    num_resamples: int = NUM_RESAMPLES,
    resample_seeds: bool = True,
    shared_seeds: bool = False,
) -> Difference:
    """
    Compare two systems on the same instances.

    The test exchanges the two systems' outcomes of random instances, all seeds together (Noreen
    1989). Its p is the share of exchanges whose difference is at least the one found: of all
    exchanges if there are at most `num_resamples`, which is exact, and otherwise of random ones.

    # Parameters

    before, after : `numpy.ndarray`
        See `score`. Shape (seeds, instances, columns), or with more axes of seeds, as in
        `bootstrap_interval`; the numbers of seeds and axes may differ.
    num_resamples : `int`, optional (default = `10000`)
    resample_seeds : `bool`, optional (default = `True`)
        If False, the interval is that of these models, not of others that are trained alike.
    shared_seeds : `bool`, optional (default = `False`)
        The last axis of seeds is the same for both systems, as that of samples of the training data
        that both are trained on: the interval draws the same ones for both.

    # Raises

    `ValueError` : different numbers of instances.
    """
    if before.shape[-2:] != after.shape[-2:]:
        raise ValueError(
            "expected counts of the same instances, got arrays of shapes (seeds, instances, "
            f"columns) {before.shape} and {after.shape}"
        )
    gain = mean_score(after) - mean_score(before)
    scores = _bootstrap([before, after], num_resamples, resample_seeds, shared_seeds)
    one, other = (counts.reshape(-1, *counts.shape[-2:]) for counts in (before, after))
    p = _randomization(one, other, num_resamples)
    return Difference(gain, _interval(scores[1] - scores[0]), p)


def _interval(values: numpy.ndarray) -> Interval:
    low, high = numpy.quantile(values, [LEVEL / 2, 1 - LEVEL / 2])
    return Interval(float(low), float(high))


def _bootstrap(
    systems: list[numpy.ndarray],
    num_resamples: int,
    resample_seeds: bool,
    shared_seeds: bool = False,
) -> tuple[numpy.ndarray, ...]:
    """Return each system's scores on the same bootstrap samples of instances."""
    generator = numpy.random.default_rng(_SEED)
    num_instances = systems[0].shape[-2]
    scores: list[list[numpy.ndarray]] = [[] for _ in systems]
    for size in _blocks(num_resamples):
        drawn = generator.integers(0, num_instances, (size, num_instances))
        weights = numpy.stack([numpy.bincount(row, minlength=num_instances) for row in drawn])
        shared = None
        if resample_seeds and shared_seeds:
            shared = _draw_seeds(size, systems[0].shape[-3], generator)
        for counts, found in zip(systems, scores):
            # Shape: (resamples, seeds...)
            by_seed = score(_weighted_sums(weights, counts))
            if shared is not None:
                by_seed = _take(by_seed.swapaxes(1, -1), shared).mean(1)
            while by_seed.ndim > 1:
                if resample_seeds:
                    by_seed = _take(by_seed, _draw_seeds(size, by_seed.shape[1], generator))
                by_seed = by_seed.mean(1)
            found.append(by_seed)
    return tuple(numpy.concatenate(found) for found in scores)


def _draw_seeds(
    num_resamples: int, num_seeds: int, generator: numpy.random.Generator
) -> numpy.ndarray:
    """
    Draw seeds for each resample: one fewer than there are, since the variance of a sample is too
    small by that ratio. Seeds also differ by the texts' chance, which thus counts twice: where they
    differ by nothing else, the interval is too wide (Owen 2007). Where three seeds differ much, it
    is too narrow, as it ends at the lowest and the highest one.
    """
    return generator.integers(0, num_seeds, (num_resamples, max(1, num_seeds - 1)))


def _take(scores: numpy.ndarray, seeds: numpy.ndarray) -> numpy.ndarray:
    """Take each row's own seeds of the second axis. Shape of the seeds: (resamples, drawn)."""
    axes = [1] * (scores.ndim - 2)
    return numpy.take_along_axis(scores, seeds.reshape(*seeds.shape, *axes), 1)


def _randomization(before: numpy.ndarray, after: numpy.ndarray, num_resamples: int) -> PValue:
    # Every pair of seeds, so that their numbers may differ.
    first, second = numpy.tile(before, (len(after), 1, 1)), numpy.repeat(after, len(before), 0)
    # Rounding must not make an exchange of all instances smaller than what was found.
    observed = abs(mean_score(after) - mean_score(before)) - 1e-9
    num_extreme = 0
    for kept in _exchanges(before.shape[1], num_resamples):
        sums = _weighted_sums(kept, first - second)
        # Shape: (resamples,)
        one = score(second.sum(1) + sums).mean(1)
        other = score(first.sum(1) - sums).mean(1)
        num_extreme += int((abs(other - one) >= observed).sum())
    if _can_enumerate(before.shape[1], num_resamples):
        return PValue(num_extreme / 2 ** before.shape[1])
    # The observed assignment counts as one of the exchanges, so p is never 0.
    return PValue((num_extreme + 1) / (num_resamples + 1))


def _exchanges(num_instances: int, num_resamples: int) -> Iterator[numpy.ndarray]:
    """
    Yield blocks of random exchanges, or of all if there are at most `num_resamples`: 0 for an
    instance that is exchanged, 1 for others. Shape: (exchanges, instances)
    """
    if _can_enumerate(num_instances, num_resamples):
        yield numpy.arange(2**num_instances)[:, None] >> numpy.arange(num_instances) & 1
        return
    generator = numpy.random.default_rng(_SEED)
    for size in _blocks(num_resamples):
        yield generator.integers(0, 2, (size, num_instances))


def _can_enumerate(num_instances: int, num_resamples: int) -> bool:
    return num_instances <= math.log2(num_resamples)


def _weighted_sums(weights: numpy.ndarray, counts: numpy.ndarray) -> numpy.ndarray:
    """
    Sum (seeds..., instances, columns) by (resamples, instances) to (resamples, seeds..., columns).
    """
    return numpy.tensordot(weights.astype(float), counts, axes=(1, -2))


def _blocks(total: int) -> Iterator[int]:
    for start in range(0, total, _BLOCK):
        yield min(_BLOCK, total - start)
