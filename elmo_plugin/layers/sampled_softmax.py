"""Sampled softmax for training over a large vocabulary (Jean et al. 2015; bilm-tf's choice)."""

from __future__ import annotations

import math

import torch

from elmo_plugin.layers.fast.compiled import is_compiled_for

from elmo_plugin.layers.softmax import PREDICTIONS_AT_ONCE, Softmax


class LogUniformSampler:
    """
    Distinct words with a chance that falls with their rank, `log((k + 2) / (k + 1)) / log(n + 1)`:
    near a Zipfian vocabulary's own frequencies when its ids run from frequent to rare.

    # Parameters

    vocabulary_size : `int`
    num_samples : `int`
        Distinct words a draw; fewer than the vocabulary has.

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
        """The chance of each word in one trial. Any shape."""
        rank = words.to(torch.float64)
        return torch.log1p(1 / (rank + 1)) / math.log(self.vocabulary_size + 1)

    def sample(self, device: torch.device) -> tuple[torch.Tensor, int]:
        """
        # Returns

        words : `torch.Tensor`
            Distinct, rising. Shape (num_samples,).
        trials : `int`
            How many trials it took to meet them all.
        """
        trials = torch.empty(0, dtype=torch.long, device=device)
        while True:
            # As many again each time: nearly all words of a vocabulary take many trials.
            more = len(trials) or 2 * self.num_samples
            trials = torch.cat([trials, self._trials(more, device)])
            words, index = torch.unique(trials, return_inverse=True)
            if len(words) >= self.num_samples:
                break
        place = torch.arange(len(trials), device=device)
        first_seen = place.new_full(words.shape, len(trials)).scatter_reduce_(
            0, index, place, "amin"
        )
        last = first_seen.kthvalue(self.num_samples).values
        return words[first_seen <= last], int(last) + 1

    def expected_count(self, words: torch.Tensor, trials: int) -> torch.Tensor:
        """The chance that a word is among those met in so many trials. Any shape."""
        return -torch.expm1(trials * torch.log1p(-self.probabilities(words)))

    def _trials(self, count: int, device: torch.device) -> torch.Tensor:
        # The inverse of the distribution's cumulative sum, log(k + 1) / log(n + 1).
        uniform = torch.rand(count, dtype=torch.float64, device=device)
        words = torch.exp(uniform * math.log(self.vocabulary_size + 1)).long() - 1
        return words.clamp_(0, self.vocabulary_size - 1)


def sampled_negative_log_likelihood(
    softmax: Softmax, sampler: LogUniformSampler, hidden: torch.Tensor, targets: torch.Tensor, precision=None
) -> torch.Tensor:
    """
    An estimate of `softmax(hidden, targets)` that scores the target and one set of samples, shared
    by all predictions, instead of the whole vocabulary. Scores are corrected for how likely a word
    is to be sampled; a sample that is a prediction's own target does not count against it. Not a
    likelihood: use it to train, never to report.

    # Parameters

    hidden : `torch.Tensor`
        Shape (predictions, dim).
    targets : `torch.Tensor`
        Shape (predictions,).

    # Returns

    `torch.Tensor` : Shape (predictions,).
    """
    samples, trials = sampler.sample(targets.device)
    # The first column is the target's, different for each prediction, and filled in below.
    columns = torch.cat([samples[:1], samples])
    weight = torch.nn.functional.embedding(columns, softmax.weight, sparse=softmax.sparse)
    bias = softmax.bias.index_select(0, columns) - _correction(
        sampler, columns, trials, hidden.dtype
    )
    target_weight = torch.nn.functional.embedding(targets, softmax.weight, sparse=softmax.sparse)
    target_bias = softmax.bias.index_select(0, targets) - _correction(
        sampler, targets, trials, hidden.dtype
    )
    target_scores = (hidden * target_weight).sum(-1) + target_bias

    if is_compiled_for(hidden, target_weight, weight):
        from elmo_plugin.layers.fast.compiled_softmax import Candidates, sampled_cross_entropy

        place = torch.searchsorted(samples, targets).clamp_(max=len(samples) - 1)
        hits = torch.where(samples[place] == targets, place, -1)
        candidates = Candidates(hidden, target_weight, target_bias, weight[1:], bias[1:])
        return sampled_cross_entropy(candidates, hits, precision)
    losses = []
    for part in zip(*(t.split(PREDICTIONS_AT_ONCE) for t in (hidden, targets, target_scores))):
        hidden_part, target, target_score = part
        scores = torch.nn.functional.linear(hidden_part, weight, bias).to(hidden.dtype)
        place = torch.searchsorted(samples, target).clamp_(max=len(samples) - 1)
        hit = (samples[place] == target).nonzero().squeeze(-1)
        scores[hit, place[hit] + 1] = -torch.inf
        scores[:, 0] = target_score
        first_column = torch.zeros_like(target)
        losses.append(torch.nn.functional.cross_entropy(scores, first_column, reduction="none"))
    return torch.cat(losses)


def _correction(
    sampler: LogUniformSampler, words: torch.Tensor, trials: int, dtype: torch.dtype
) -> torch.Tensor:
    return sampler.expected_count(words, trials).log().to(dtype)
