"""Sampled softmax, to train over a large vocabulary (Jean et al. 2015), as bilm-tf does."""

from __future__ import annotations

import math

import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.sampled_cross_entropy import Candidates
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.layers.torch_threads import torch_threads


class LogUniformSampler:
    """
    Draws distinct words, each with probability `log((k + 2) / (k + 1)) / log(n + 1)` for rank k:
    near a Zipfian vocabulary's own frequencies if its ids are sorted by frequency.

    # Parameters

    vocabulary_size : `int`
    num_samples : `int`
        Distinct words per draw; fewer than the vocabulary has.

    # Raises

    `ValueError` : as many samples as words, or none.
    """

    def __init__(self, vocabulary_size: int, num_samples: int) -> None:
        if not 0 < num_samples < vocabulary_size:
            raise ValueError(
                f"num_samples: expected from 1 to {vocabulary_size - 1} for a vocabulary of "
                f"{vocabulary_size} words, got {num_samples}"
            )
        self.vocabulary_size = vocabulary_size
        self.num_samples = num_samples

    def probabilities(self, words: torch.Tensor) -> torch.Tensor:
        """Probability of each word in one try. Any shape."""
        rank = words.to(torch.float64)
        return torch.log1p(1 / (rank + 1)) / math.log(self.vocabulary_size + 1)

    def sample(self, device: torch.device) -> tuple[torch.Tensor, int]:
        """
        Draw with the CPU's random generator: the samples are the same on every device, and the CPU
        does not wait for a GPU.

        # Returns

        words : `torch.Tensor`
            Distinct, in rising order. Shape (num_samples,).
        num_tries : `int`
            Number of tries until all of them had been drawn.
        """
        # Waking other threads takes longer than the work.
        with torch_threads(1):
            words, num_tries = self._sample()
        return words.to(device), num_tries

    def _sample(self) -> tuple[torch.Tensor, int]:
        tries = torch.empty(0, dtype=torch.long, device="cpu")
        while True:
            # Twice as many each time: most words of a vocabulary take many tries.
            more = len(tries) or 2 * self.num_samples
            tries = torch.cat([tries, self._draw(more)])
            # The try in which each word of the vocabulary was drawn first.
            first_drawn = torch.full((self.vocabulary_size,), len(tries), device="cpu")
            order = torch.arange(len(tries), device="cpu")
            first_drawn.scatter_reduce_(0, tries, order, "amin")
            drawn = first_drawn[first_drawn < len(tries)]
            if len(drawn) >= self.num_samples:
                break
        last = int(drawn.kthvalue(self.num_samples).values)
        return (first_drawn <= last).nonzero().squeeze(1), last + 1

    def expected_count(self, words: torch.Tensor, num_tries: int) -> torch.Tensor:
        """Probability that a word is among those drawn in `num_tries` tries. Any shape."""
        return -torch.expm1(num_tries * torch.log1p(-self.probabilities(words)))

    def _draw(self, count: int) -> torch.Tensor:
        # The inverse of the cumulative distribution, log(k + 1) / log(n + 1).
        uniform = torch.rand(count, dtype=torch.float64, device="cpu")
        words = torch.exp(uniform * math.log(self.vocabulary_size + 1)).long() - 1
        return words.clamp_(0, self.vocabulary_size - 1)


def sampled_negative_log_likelihood(
    softmax: Softmax,
    sampler: LogUniformSampler,
    hidden: torch.Tensor,
    targets: torch.Tensor,
    precision: torch.dtype | None = None,
) -> torch.Tensor:
    """
    Estimate `softmax(hidden, targets)` from the target and one set of samples that all predictions
    share. Scores are corrected for the probability that a word is sampled; a sample that is a
    prediction's own target does not count against it. Not a likelihood: for training only.

    # Parameters

    softmax : `Softmax`
        Weights and biases of the words.
    sampler : `LogUniformSampler`
        Draws the samples, words of the same vocabulary.
    hidden : `torch.Tensor`
        Shape (predictions, dim).
    targets : `torch.Tensor`
        Shape (predictions,).
    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands; the weights' own if `None`.

    # Returns

    `torch.Tensor` : Shape (predictions,).
    """
    samples, num_tries = sampler.sample(targets.device)

    def weight_and_bias(words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        correction = sampler.expected_count(words, num_tries).log().to(hidden.dtype)
        weight = torch.nn.functional.embedding(words, softmax.weight, sparse=softmax.sparse)
        return weight, softmax.bias.index_select(0, words) - correction

    position = torch.searchsorted(samples, targets).clamp_(max=len(samples) - 1)
    hits = torch.where(samples[position] == targets, position, -1)
    candidates = Candidates(hidden, *weight_and_bias(targets), *weight_and_bias(samples))
    return backend.sampled_cross_entropy(candidates, hits, precision)
