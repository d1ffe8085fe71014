"""Scores against scikit-learn, intervals and tests against SciPy and simulated systems."""

import numpy
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.experiments.statistics.significance import (
    bootstrap_interval,
    compare,
    mean_score,
)

GENERATOR = numpy.random.default_rng(0)


@pytest.fixture(autouse=True)
def _restart() -> None:
    """Draw the same numbers whichever tests are run before."""
    GENERATOR.bit_generator.state = numpy.random.default_rng(1).bit_generator.state


def outcomes(rate: float, seeds: int = 1, instances: int = 300) -> numpy.ndarray:
    """Simulate the counts of an accuracy. Shape (seeds, instances, 2)."""
    correct = GENERATOR.random((seeds, instances)) < rate
    return numpy.stack([correct, numpy.ones_like(correct)], -1).astype(float)


def test_ratios_are_scikit_learns_accuracy_and_f1() -> None:
    gold, predicted = GENERATOR.integers(0, 2, (2, 50))
    correct = numpy.stack([gold == predicted, numpy.ones(50)], -1)
    assert score(correct.sum(0)) == pytest.approx(100 * accuracy_score(gold, predicted))
    hits = numpy.stack([2 * gold * predicted, gold + predicted], -1)
    assert score(hits.sum(0)) == pytest.approx(100 * f1_score(gold, predicted))


def test_four_columns_are_the_mean_f1_of_precision_and_recall() -> None:
    gold, predicted = GENERATOR.integers(0, 2, (2, 50))
    hits = gold * predicted
    parts = numpy.stack([hits, predicted, hits, gold], -1).sum(0)
    f1 = 100 * f1_score(gold, predicted)
    assert score(parts) == pytest.approx(f1)
    assert score(numpy.concatenate([parts, [1, 1, 1, 1]])) == pytest.approx((f1 + 100) / 2)
    assert score(numpy.zeros(4)) == 0


@pytest.mark.parametrize("columns", [0, 1, 3, 6])
def test_other_numbers_of_columns(columns: int) -> None:
    with pytest.raises(ValueError, match=f"expected 2 columns or a multiple of 4, got {columns}"):
        score(numpy.ones(columns))


def test_interval_is_scipys_bootstrap() -> None:
    counts = outcomes(0.7)
    expected = stats.bootstrap(
        (counts[0, :, 0],), numpy.mean, method="percentile", n_resamples=9999, rng=1
    ).confidence_interval
    assert bootstrap_interval(counts) == pytest.approx([100 * x for x in expected], abs=0.5)


def test_interval_is_wider_where_seeds_differ() -> None:
    same = numpy.repeat(outcomes(0.7), 4, 0)
    different = numpy.concatenate([outcomes(rate) for rate in (0.5, 0.6, 0.8, 0.9)])
    narrow, wide = bootstrap_interval(same), bootstrap_interval(different)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


# The interval of 3 seeds is that from the lowest to the highest one, the mean of whose squared
# length is 3.65 variances of a seed. With 5, there are enough outcomes for its percentiles.
@pytest.mark.parametrize(("seeds", "ratio"), [(3, 3 * 3.65 / (2 * 1.96) ** 2), (5, 1)])
def test_width_is_that_of_the_mean_over_seeds(seeds: int, ratio: float) -> None:
    """Training runs vary by a known standard deviation, and there is one instance."""
    generator = numpy.random.default_rng(seeds)
    variances = []
    for _ in range(1000):
        rates = generator.normal(0.6, 0.02, seeds)
        counts = numpy.stack([rates, numpy.ones(seeds)], -1)[:, None]
        low, high = bootstrap_interval(counts, num_resamples=300)
        variances.append(((high - low) / 2 / stats.norm.ppf(0.975)) ** 2)
    assert numpy.mean(variances) == pytest.approx(ratio * 2**2 / seeds, rel=0.15)


def test_width_of_crossed_seeds_is_that_of_both_means() -> None:
    """Five weights and four samples vary by known standard deviations; there is one instance."""
    generator = numpy.random.default_rng(0)
    variances = []
    for _ in range(500):
        rates = generator.normal(0.6, 0.02, (5, 1)) + generator.normal(0, 0.03, (1, 4))
        counts = numpy.stack([rates, numpy.ones((5, 4))], -1)[:, :, None]
        low, high = bootstrap_interval(counts, num_resamples=300)
        variances.append(((high - low) / 2 / stats.norm.ppf(0.975)) ** 2)
    assert numpy.mean(variances) == pytest.approx(2**2 / 5 + 3**2 / 4, rel=0.15)


def test_shared_samples_do_not_widen_a_difference() -> None:
    """Five weights vary by a known standard deviation; samples vary, but alike in both systems."""
    generator = numpy.random.default_rng(0)
    variances = []
    for _ in range(500):
        before = generator.normal(0.6, 0.03, (1, 4))
        after = before + generator.normal(0.1, 0.02, (5, 1))
        systems = [numpy.stack([r, numpy.ones_like(r)], -1)[:, :, None] for r in (before, after)]
        low, high = compare(*systems, num_resamples=300, shared_seeds=True).interval
        variances.append(((high - low) / 2 / stats.norm.ppf(0.975)) ** 2)
    assert numpy.mean(variances) == pytest.approx(2**2 / 5, rel=0.15)


def test_differences_resample_crossed_seeds_as_scores_do() -> None:
    """Compare with a system that scores 0: the difference is the score itself."""
    generator = numpy.random.default_rng(0)
    # Five weights that differ, each with four samples that do not.
    rates = generator.uniform(0.2, 0.8, (5, 1, 1)).repeat(4, 1).repeat(30, 2)
    counts = numpy.stack([rates, numpy.ones_like(rates)], -1)
    nothing = counts * [0, 1]
    found, alone = compare(nothing, counts), bootstrap_interval(counts)
    assert found.interval.high - found.interval.low == pytest.approx(
        alone.high - alone.low, rel=0.05
    )
    assert found.p == compare(*(c.reshape(20, 30, 2) for c in (nothing, counts))).p


def test_interval_of_given_models_is_scipys_bootstrap_of_their_mean() -> None:
    members, ensemble = outcomes(0.6, seeds=5), outcomes(0.65)
    gains = ensemble[0, :, 0] - members[:, :, 0].mean(0)
    expected = stats.bootstrap(
        (gains,), numpy.mean, method="percentile", n_resamples=9999, rng=1
    ).confidence_interval
    found = compare(members, ensemble, resample_seeds=False).interval
    assert found == pytest.approx([100 * x for x in expected], abs=0.5)


def test_p_is_that_of_scipys_permutation_test() -> None:
    before, after = outcomes(0.6, instances=40), outcomes(0.75, instances=40)
    expected = stats.permutation_test(
        (before[0, :, 0], after[0, :, 0]),
        lambda x, y, axis: numpy.mean(y - x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        rng=1,
    )
    found = compare(before, after)
    assert found.p == pytest.approx(expected.pvalue, abs=0.03)
    assert found.gain == pytest.approx(100 * expected.statistic)
    assert compare(after, before).p == pytest.approx(found.p, abs=0.03)


@pytest.mark.parametrize("instances", [3, 10, 13])
def test_p_of_few_instances_is_exact(instances: int) -> None:
    """One system alone solves them: only the exchange of all and of none differ as much."""
    after = numpy.array([[[1.0, 1.0]] * instances])
    assert compare(after * [0, 1], after).p == 2 / 2**instances
    before, after = outcomes(0.4, instances=instances), outcomes(0.7, instances=instances)
    expected = stats.permutation_test(
        (before[0, :, 0], after[0, :, 0]),
        lambda x, y, axis: numpy.mean(y - x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=numpy.inf,
    )
    assert compare(before, after).p == pytest.approx(expected.pvalue)


def test_equal_systems_are_rarely_told_apart() -> None:
    """The share of false claims is at most the level, here with noise of seeds too."""
    claims = []
    for _ in range(150):
        rates = numpy.clip(GENERATOR.normal(0.6, 0.02, 10), 0, 1)
        systems = [
            numpy.concatenate([outcomes(r) for r in half]) for half in (rates[:5], rates[5:])
        ]
        claims.append(compare(*systems, num_resamples=300).is_significant)
    assert numpy.mean(claims) < 0.08


def test_equal_systems_of_three_seeds_are_rarely_told_apart() -> None:
    """Instances are as hard for one system as for the other; p alone does not cover the seeds."""
    claims, values = [], []
    for _ in range(150):
        difficulty = GENERATOR.normal(size=400)
        needed = stats.norm.ppf(GENERATOR.normal(0.6, 0.02, (6, 1))) * numpy.sqrt(1.25)
        correct = difficulty + GENERATOR.normal(0, 0.5, (6, 400)) < needed
        counts = numpy.stack([correct, numpy.ones_like(correct)], -1).astype(float)
        found = compare(counts[:3], counts[3:], num_resamples=300)
        claims.append(found.is_significant)
        values.append(found.p)
    assert numpy.mean(claims) < 0.08
    assert numpy.mean(claims) < numpy.mean(numpy.array(values) < 0.05)


def test_p_of_equal_systems_is_uniform() -> None:
    values = [compare(outcomes(0.6), outcomes(0.6), num_resamples=300).p for _ in range(300)]
    assert 0.02 <= numpy.mean(numpy.array(values) < 0.05) <= 0.09
    assert 0.4 < numpy.mean(values) < 0.65


def test_different_systems_are_told_apart() -> None:
    before, after = outcomes(0.6, seeds=3, instances=1000), outcomes(0.7, seeds=5, instances=1000)
    found = compare(before, after)
    assert found.is_significant and found.p < 0.001
    assert found.gain == pytest.approx(mean_score(after) - mean_score(before))
    assert found.interval.low < found.gain < found.interval.high
    same = compare(before, before)
    assert not same.is_significant and same.p == 1


def test_instances_of_another_set() -> None:
    with pytest.raises(ValueError, match="expected counts of the same instances"):
        compare(outcomes(0.5, instances=10), outcomes(0.5, instances=11))
