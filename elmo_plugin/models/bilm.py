"""The biLM as an AllenNLP model: the joint log-likelihood of both directions (section 3.1)."""

import logging
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from elmo_plugin.configuration_errors import configuration_errors
from elmo_plugin.data.vocabulary import MARKS, NAMESPACE
from elmo_plugin.data.windows import NO_TARGET
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.recurrence import LstmState
from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.models.perplexity import Perplexity
from elmo_plugin.models.pretrained import read_pretrained

logger = logging.getLogger(__name__)

_PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16}


@Model.register("bilm")
class BilmModel(Model):
    """
    Maximizes the joint log-likelihood of the forward and the backward direction, which share the
    token layer and the softmax:

        sum_k log p(t_k | t_1 .. t_k-1) + log p(t_k | t_k+1 .. t_N)

    In training, rows are streams (see the data loader "bilm_streams"): the LSTM state is carried
    from batch to batch, and the gradient ends where a batch begins. In evaluation, each row is a
    sentence that starts from nothing, so a text's perplexity depends on the text alone.

    Registered as a `Model` with name "bilm".

    # Parameters

    vocab : `Vocabulary`
        With the namespace "bilm", see the vocabulary "bilm_text".
    filters, character_dim, max_characters, num_highways, activation, projection_dim, cell_dim,
    num_layers, cell_clip, projection_clip, residual :
        Sizes; see `BilmConfig`, whose defaults are the published model's.
    dropout : `float`, optional (default = `0.1`)
        On the input of each LSTM layer and on the output.
    num_samples : `int`, optional (default = `8192`)
        Words of the sampled softmax in training; `None` for the full softmax.
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for matrix products of that type in training, where the hardware is fast at
        them; weights, states and sums stay float32, and so does all evaluation.
    pretrained_file : `str`, optional (default = `None`)
        Start from a trained biLM instead of from nothing: a folder that `elmo export` wrote, a
        weight file, a trained biLM's archive or folder, or "built-in"; see `read_pretrained`.
        Take its vocabulary with the vocabulary "bilm_pretrained".
    num_softmax_batches : `int`, optional (default = `1000`)
        Where a pretrained biLM comes without a softmax: for how many batches a new one is fitted,
        the rest frozen, before all is trained.
    """

    default_predictor = "bilm"
    softmax_batches_left: torch.Tensor

    def __init__(
        self,
        vocab: Vocabulary,
        filters: list[tuple[int, int]] = list(BilmConfig.filters),  # noqa: B006
        character_dim: int = BilmConfig.character_dim,
        max_characters: int = BilmConfig.max_characters,
        num_highways: int = BilmConfig.num_highways,
        activation: str = BilmConfig.activation,
        projection_dim: int = BilmConfig.projection_dim,
        cell_dim: int = BilmConfig.cell_dim,
        num_layers: int = BilmConfig.num_layers,
        cell_clip: Optional[float] = BilmConfig.cell_clip,
        projection_clip: Optional[float] = BilmConfig.projection_clip,
        residual: bool = BilmConfig.residual,
        dropout: float = 0.1,
        num_samples: Optional[int] = 8192,
        precision: str = "float32",
        pretrained_file: Optional[str] = None,
        num_softmax_batches: int = 1000,
    ) -> None:
        super().__init__(vocab)
        _check_vocabulary(vocab)
        _check_precision(precision)
        vocabulary_size = vocab.get_vocab_size(NAMESPACE)
        with configuration_errors():
            config = BilmConfig(
                filters=tuple(filters),
                character_dim=character_dim,
                max_characters=max_characters,
                num_highways=num_highways,
                activation=activation,
                projection_dim=projection_dim,
                cell_dim=cell_dim,
                num_layers=num_layers,
                cell_clip=cell_clip,
                projection_clip=projection_clip,
                residual=residual,
            )
            self.precision = _PRECISIONS[precision]
            self.bilm = Bilm(config, dropout=dropout, precision=self.precision)
            self.softmax = Softmax(vocabulary_size, projection_dim)
            self.sampler = (
                None if num_samples is None else LogUniformSampler(vocabulary_size, num_samples)
            )
        self.register_buffer("softmax_batches_left", torch.tensor(0))
        if pretrained_file is not None:
            self._start_from(pretrained_file, num_softmax_batches)
        self.dropout = torch.nn.Dropout(dropout)
        self._states: list[LstmState] = []
        self._sampled = Perplexity()
        self._perplexity = Perplexity()
        # Known to be one for all sentences: no need to warn of it.
        self._warn_for_unseparable_batches = {"loss"}

    def forward(self, text: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """
        # Parameters

        text : `Dict[str, torch.Tensor]`
            words, character ids of distinct words, shape (words, characters);
            inputs, which of them are read, shape (2, rows, steps);
            targets, the words to predict, -1 for none, shape (2, rows, steps).

        # Returns

        `Dict[str, torch.Tensor]` :
            loss, the negative log-likelihood of a row, averaged over rows and directions, which
            for full windows is `unroll` times a word's; in evaluation also
            forward_log_likelihood and backward_log_likelihood, in nats, each of shape (rows,).
        """
        hidden, targets = self._hidden(text), text["targets"]
        if self.training and self.softmax_batches_left:
            # Times zero, not cut off: processes of a distributed training expect all gradients.
            hidden = hidden.detach() + 0 * hidden
            self.softmax_batches_left -= 1
        used = targets != NO_TARGET
        losses = hidden.new_zeros(targets.shape)
        losses[used] = self._losses(self.dropout(hidden)[used], targets[used])
        # Shape: (2, rows)
        of_rows = losses.sum(-1)
        metric = self._sampled if self.training and self.sampler else self._perplexity
        metric(losses.detach().sum((1, 2)), used.sum((1, 2)))
        output = {"loss": of_rows.mean()}
        if not self.training:
            output["forward_log_likelihood"], output["backward_log_likelihood"] = -of_rows
        return output

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        After evaluation: forward_perplexity, backward_perplexity and perplexity, exp of the mean
        negative log-likelihood with the full softmax. In training with samples: sampled_loss, the
        mean estimate in nats, which is no likelihood.
        """
        metrics: dict[str, float] = {}
        if self._sampled.counted:
            metrics["sampled_loss"] = self._sampled.mean()
        if self._perplexity.counted:
            metrics.update(self._perplexity.get_metric())
        if reset:
            self._sampled.reset()
            self._perplexity.reset()
        return metrics

    def stream_state(self) -> dict[str, Any]:
        """What training needs beside weights to go on with the next batch."""
        return {
            "lstm": [[s.detach().cpu() for s in layer] for layer in self._states],
            "metrics": [metric.state_dict() for metric in (self._sampled, self._perplexity)],
        }

    def load_stream_state(self, state: dict[str, Any]) -> None:
        """The inverse of `stream_state`."""
        device = self.softmax.bias.device
        self._states = [LstmState(*(s.to(device) for s in layer)) for layer in state["lstm"]]
        for metric, counted in zip((self._sampled, self._perplexity), state["metrics"]):
            metric.load_state_dict(counted)

    def _start_from(self, path: str, num_softmax_batches: int) -> None:
        with configuration_errors():
            pretrained = read_pretrained(path, self.bilm.config, self.vocab)
        self.bilm.load_state_dict(pretrained.bilm.state_dict())
        if pretrained.softmax is not None:
            self.softmax.load_state_dict(pretrained.softmax.state_dict())
            return
        self.softmax_batches_left.fill_(num_softmax_batches)
        logger.warning(
            "%s has no softmax: for the first %d batches only a new one of %d words is trained",
            path,
            num_softmax_batches,
            len(self.softmax.bias),
        )

    def _hidden(self, text: dict[str, torch.Tensor]) -> torch.Tensor:
        read, expected = text["words"].size(1), self.bilm.config.max_characters
        if read != expected:
            raise ConfigurationError(
                f"max_characters: expected the model's {expected}, "
                f"got words of {read} characters from the dataset reader"
            )
        rows = text["inputs"].size(1)
        if not self.training:
            return self.bilm.run_streams(
                text["words"], text["inputs"], self.bilm.zero_states(rows)
            )[0]
        if not self._states or self._states[0].hidden.size(1) != rows:
            self._states = self.bilm.zero_states(rows)
        hidden, self._states = self.bilm.run_streams(text["words"], text["inputs"], self._states)
        return hidden

    def _losses(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        if self.training and self.sampler:
            lower = self.precision is not None
            with torch.autocast(hidden.device.type, dtype=self.precision, enabled=lower):
                return sampled_negative_log_likelihood(self.softmax, self.sampler, hidden, targets)
        return self.softmax(hidden, targets)


def _check_vocabulary(vocab: Vocabulary) -> None:
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    first = [words.get(i) for i in range(len(MARKS))]
    if first != list(MARKS):
        raise ConfigurationError(
            f"vocabulary: expected one of type bilm_text, which begins with {', '.join(MARKS)}, "
            f"got one that begins with {first}"
        )


def _check_precision(precision: str) -> None:
    if precision not in _PRECISIONS:
        expected = " or ".join(_PRECISIONS)
        raise ConfigurationError(f"precision: expected {expected}, got {precision!r}")
