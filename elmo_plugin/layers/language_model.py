"""The joint log-likelihood of a bidirectional language model (section 3.1)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.lstm import LstmState
from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from elmo_plugin.layers.softmax import Softmax

logger = logging.getLogger(__name__)

IGNORE_INDEX = -1
"""Target of a position that predicts nothing, such as padding."""


@dataclass
class LanguageModelOutput:
    """Result of scoring a batch; all log-likelihoods are in nats, forward direction first."""

    loss: torch.Tensor
    """Negative log-likelihood per row, averaged over rows and directions. A scalar."""
    log_likelihoods: torch.Tensor
    """Log-likelihood of each row; an estimate where the softmax is sampled. Shape (2, batch)."""
    token_log_likelihoods: torch.Tensor
    """Its terms, 0 where there is no target. Shape (2, batch, tokens)."""
    num_predictions: torch.Tensor
    """Number of targets in each row. Shape (2, batch)."""
    states: list[LstmState]
    """LSTM state after the last token, one per layer; detached."""


class LanguageModel(torch.nn.Module):
    """
    A biLM and its softmax. Both directions share the token layer and the softmax, and training
    maximizes their joint log-likelihood:

        sum_k log p(t_k | t_1 ... t_{k-1}) + log p(t_k | t_{k+1} ... t_N)

    # Parameters

    bilm : `Bilm`
    softmax : `Softmax`
    dropout : `float`, optional (default = `0.0`)
        Applied to the biLM's output in training.
    num_samples : `int`, optional (default = `None`)
        Words of the sampled softmax in training. The full softmax is used if `None` or if the
        vocabulary has no more words than that, and always in evaluation.
    samples_per_direction : `bool`, optional (default = `False`)
        Draw samples for each direction, as bilm-tf does, instead of one set for both.

    # Raises

    `ValueError` : `num_samples` below 1.
    """

    def __init__(
        self,
        bilm: Bilm,
        softmax: Softmax,
        dropout: float = 0.0,
        num_samples: int | None = None,
        samples_per_direction: bool = False,
    ) -> None:
        super().__init__()
        self.bilm = bilm
        self.softmax = softmax
        self.dropout = torch.nn.Dropout(dropout)
        self.sampler = _sampler(len(softmax.bias), num_samples)
        self.samples_per_direction = samples_per_direction

    def forward(
        self,
        words: torch.Tensor,
        inputs: torch.Tensor,
        targets: torch.Tensor,
        states: Sequence[LstmState] | None = None,
        train_bilm: bool = True,
    ) -> LanguageModelOutput:
        """
        Compute the loss of a batch: the negative joint log-likelihood of both directions (section
        3.1).

        # Parameters

        words : `torch.Tensor`
            Character ids of the distinct words. Shape (words, characters).
        inputs : `torch.Tensor`
            Index into `words` of each token, in each direction's reading order. Shape
            (2, batch, tokens).
        targets : `torch.Tensor`
            Softmax row of the token after each input, or `IGNORE_INDEX`. Same shape.
        states : `Sequence[LstmState]`, optional (default = `None`)
            LSTM state before the first token, one per layer; zeros if `None`.
        train_bilm : `bool`, optional (default = `True`)
            Set to `False` to train the softmax alone: the biLM's gradients are then zero.

        # Returns

        `LanguageModelOutput`
        """
        states = states or self.bilm.zero_states(inputs.size(1))
        hidden, states = self.bilm.run_streams(words, inputs, states)
        if not train_bilm:
            # Multiplied by zero, not detached: distributed training waits for every gradient.
            hidden = hidden.detach() + 0 * hidden
        losses = self._losses(self.dropout(hidden), targets)
        # Shape: (2, batch)
        row_losses, predictions = losses.sum(-1), (targets != IGNORE_INDEX).sum(-1)
        return LanguageModelOutput(row_losses.mean(), -row_losses, -losses, predictions, states)

    def _losses(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        if not (self.training and self.sampler):
            return _score_predictions(self.softmax, hidden, targets)
        if self.samples_per_direction:
            each = zip(hidden, targets)
            return torch.stack([_score_predictions(self._sampled_losses, *one) for one in each])
        return _score_predictions(self._sampled_losses, hidden, targets)

    def _sampled_losses(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        assert self.sampler is not None
        return sampled_negative_log_likelihood(
            self.softmax, self.sampler, hidden, targets, self.bilm.precision
        )


def _score_predictions(
    score: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    hidden: torch.Tensor,
    targets: torch.Tensor,
) -> torch.Tensor:
    """Apply a softmax where there is a target; return 0 elsewhere. Shape as `targets`."""
    predicted = targets != IGNORE_INDEX
    if predicted.all():  # as in training on streams: indexing by a mask takes long on a GPU
        return score(hidden.flatten(0, -2), targets.flatten()).view(targets.shape)
    losses = hidden.new_zeros(targets.shape)
    losses[predicted] = score(hidden[predicted], targets[predicted])
    return losses


def _sampler(vocabulary_size: int, num_samples: int | None) -> LogUniformSampler | None:
    if num_samples is None:
        return None
    if num_samples < vocabulary_size:
        return LogUniformSampler(vocabulary_size, num_samples)
    logger.info(
        "num_samples: the full softmax over %d words is used, as %d samples are no fewer",
        vocabulary_size,
        num_samples,
    )
    return None
