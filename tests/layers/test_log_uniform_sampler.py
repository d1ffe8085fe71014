"""The log-uniform sampler against its distribution."""

from __future__ import annotations

import numpy
import pytest
import torch

from elmo_plugin.layers.sampled_softmax import LogUniformSampler
from tests.helpers.log_uniform import CPU, log_uniform_probabilities


class TestSampler:
    @pytest.mark.parametrize("words", [2, 10, 1000, 800_000])
    def test_probabilities_sum_to_one(self, words: int) -> None:
        chances = LogUniformSampler(words, 1).probabilities(torch.arange(words))
        assert abs(chances.sum().item() - 1) < 1e-9
        numpy.testing.assert_allclose(chances, log_uniform_probabilities(words), rtol=1e-8)

    def test_default_device_is_not_the_samplers(self) -> None:
        sampler = LogUniformSampler(100, 10)
        torch.manual_seed(0)
        expected, tries = sampler.sample(CPU)
        torch.manual_seed(0)
        with torch.device("meta"):
            found = sampler.sample(CPU)
        assert torch.equal(found[0], expected) and found[1] == tries

    def test_single_tries_follow_the_probabilities(self) -> None:
        torch.manual_seed(0)
        trials = LogUniformSampler(10, 1)._draw(100_000)
        counts = torch.bincount(trials, minlength=10).numpy()
        expected = 100_000 * log_uniform_probabilities(10)
        # Pearson's statistic, 9 degrees of freedom: beyond 27.9 once in a thousand seeds.
        assert ((counts - expected) ** 2 / expected).sum() < 27.9

    @pytest.mark.parametrize(
        ("words", "number"), [(2, 1), (10, 9), (1000, 10), (1000, 999), (50_000, 8192)]
    )
    def test_samples_are_distinct_words(self, words: int, number: int) -> None:
        torch.manual_seed(0)
        for _ in range(3):
            samples, trials = LogUniformSampler(words, number).sample(CPU)
            assert samples.shape == (number,)
            assert (samples.diff() > 0).all()
            assert samples[0] >= 0 and samples[-1] < words
            assert trials >= number

    def test_sampling_frequencies_equal_one_try_at_a_time(self) -> None:
        words, number, draws = 12, 5, 6000
        sampler = LogUniformSampler(words, number)
        torch.manual_seed(0)
        ours, our_trials = numpy.zeros(words), 0
        for _ in range(draws):
            samples, trials = sampler.sample(CPU)
            ours[samples.numpy()] += 1
            our_trials += trials
        chances, generator = log_uniform_probabilities(words), numpy.random.default_rng(0)
        theirs, their_trials = numpy.zeros(words), 0
        for _ in range(draws):
            met: set[int] = set()
            for word in generator.choice(words, 500, p=chances):
                met.add(word)
                their_trials += 1
                if len(met) == number:
                    break
            theirs[list(met)] += 1
        # A difference of two shares has a deviation of at most sqrt(2 * 0.25 / draws).
        assert numpy.abs(ours - theirs).max() / draws < 4 * (0.5 / draws) ** 0.5
        assert our_trials / their_trials == pytest.approx(1, abs=0.03)

    def test_expected_counts_equal_sampling_frequencies(self) -> None:
        words, number, draws = 500, 100, 2000
        sampler = LogUniformSampler(words, number)
        torch.manual_seed(0)
        met, expected = torch.zeros(words), torch.zeros(words, dtype=torch.double)
        for _ in range(draws):
            samples, trials = sampler.sample(CPU)
            met[samples] += 1
            expected += sampler.expected_count(torch.arange(words), trials)
        # Ten words of like rank together, so that chance is under the one percent allowed.
        shares, predicted = met.view(-1, 10).mean(1) / draws, expected.view(-1, 10).mean(1) / draws
        torch.testing.assert_close(shares.double(), predicted, atol=0.01, rtol=0)
        assert predicted.max() > 0.9 and predicted.min() < 0.1

    @pytest.mark.parametrize("number", [0, -1, 10, 11])
    def test_as_many_samples_as_words_or_none_raise(self, number: int) -> None:
        message = f"num_samples: expected from 1 to 9 for .* of 10 words, got {number}"
        with pytest.raises(ValueError, match=message):
            LogUniformSampler(10, number)
