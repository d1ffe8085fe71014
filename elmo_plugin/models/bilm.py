"""The biLM as an AllenNLP model: the joint log-likelihood of both directions (section 3.1)."""

import logging
from typing import Any, Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.data.language_modeling.lm_batches import IGNORE_INDEX
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, SPECIAL_TOKENS
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.fast.recurrence import LstmState
from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.models.perplexity import Perplexity
from elmo_plugin.models.pretrained import Pretrained, read_pretrained

logger = logging.getLogger(__name__)

# Of a clip, for which null means that there is no bound.
_DEFAULT = "default"

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
    num_layers, residual : optional (default = `None`)
        Sizes; see `BilmConfig`. `None` for those of `pretrained_file`, where it is given, and
        otherwise the published model's.
    cell_clip, projection_clip : optional (default = `"default"`)
        Likewise; `None` for no bound.
    dropout : `float`, optional (default = `0.1`)
        On the input of each LSTM layer and on the output.
    num_samples : `int`, optional (default = `8192`)
        Words of the sampled softmax in training; `None` for the full softmax, which is also used
        where the vocabulary has no more words than that.
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for matrix products of that type in training, where the hardware is fast at
        them; weights, states and sums stay float32, and so does all evaluation.
    pretrained_file : `str`, optional (default = `None`)
        Start from a trained biLM instead of from nothing: a folder that `elmo export` wrote, a
        weight file, a trained biLM's archive or folder, or "built-in"; see `read_pretrained`.
        Take its vocabulary with the vocabulary "bilm_pretrained". `allennlp train` writes its sizes
        into the config.json of the training, as the archive does without this file.
    num_softmax_batches : `int`, optional (default = `1000`)
        Where a pretrained biLM comes without a softmax: for how many batches a new one is fitted,
        the rest frozen, before all is trained.

    # Raises

    `ConfigurationError` : sizes that cannot be or, stated beside `pretrained_file`, are not its
    own; another vocabulary than its softmax has; files that cannot be read.
    """

    default_predictor = "bilm"
    softmax_batches_left: torch.Tensor

    def __init__(
        self,
        vocab: Vocabulary,
        filters: Optional[list[tuple[int, int]]] = None,
        character_dim: Optional[int] = None,
        max_characters: Optional[int] = None,
        num_highways: Optional[int] = None,
        activation: Optional[str] = None,
        projection_dim: Optional[int] = None,
        cell_dim: Optional[int] = None,
        num_layers: Optional[int] = None,
        cell_clip: Union[float, str, None] = _DEFAULT,
        projection_clip: Union[float, str, None] = _DEFAULT,
        residual: Optional[bool] = None,
        dropout: float = 0.1,
        num_samples: Optional[int] = 8192,
        precision: str = "float32",
        pretrained_file: Optional[str] = None,
        num_softmax_batches: int = 1000,
    ) -> None:
        super().__init__(vocab)
        _check_vocabulary(vocab)
        _check_precision(precision)
        sizes: dict[str, Any] = {
            "filters": filters,
            "character_dim": character_dim,
            "max_characters": max_characters,
            "num_highways": num_highways,
            "activation": activation,
            "projection_dim": projection_dim,
            "cell_dim": cell_dim,
            "num_layers": num_layers,
            "residual": residual,
        }
        clips = {"cell_clip": cell_clip, "projection_clip": projection_clip}
        stated = {name: size for name, size in sizes.items() if size is not None}
        stated |= {name: clip for name, clip in clips.items() if clip != _DEFAULT}
        vocabulary_size = vocab.get_vocab_size(NAMESPACE)
        self.precision = _PRECISIONS[precision]
        with configuration_errors():
            pretrained = (
                None if pretrained_file is None else read_pretrained(pretrained_file, stated, vocab)
            )
            config = pretrained.bilm.config if pretrained else BilmConfig(**stated)
            self.bilm = Bilm(config, dropout=dropout, precision=self.precision)
            self.softmax = Softmax(vocabulary_size, config.projection_dim)
            self.sampler = _sampler(vocabulary_size, num_samples)
        self.register_buffer("softmax_batches_left", torch.tensor(0))
        if pretrained:
            self._start_from(pretrained, num_softmax_batches)
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
            for full windows is `unroll_steps` times a word's; in evaluation also
            forward_log_likelihood and backward_log_likelihood, in nats, each of shape (rows,).
        """
        hidden, targets = self._hidden(text), text["targets"]
        if self.training and self.softmax_batches_left:
            # Times zero, not cut off: processes of a distributed training expect all gradients.
            hidden = hidden.detach() + 0 * hidden
            self.softmax_batches_left -= 1
        used = targets != IGNORE_INDEX
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

    def _start_from(self, pretrained: Pretrained, num_softmax_batches: int) -> None:
        self.bilm.load_state_dict(pretrained.bilm.state_dict())
        if pretrained.softmax is not None:
            self.softmax = pretrained.softmax
            return
        self.softmax_batches_left.fill_(num_softmax_batches)
        logger.warning(
            "%s has no softmax: for the first %d batches only a new one of %d words is trained",
            pretrained.path,
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


def _sampler(vocabulary_size: int, num_samples: Optional[int]) -> Optional[LogUniformSampler]:
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


def _check_vocabulary(vocab: Vocabulary) -> None:
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    first = [words.get(i) for i in range(len(SPECIAL_TOKENS))]
    if first != list(SPECIAL_TOKENS):
        raise ConfigurationError(
            "vocabulary: expected one of type bilm_text, which begins with "
            f"{', '.join(SPECIAL_TOKENS)}, got one that begins with {first}"
        )


def _check_precision(precision: str) -> None:
    if precision not in _PRECISIONS:
        expected = " or ".join(_PRECISIONS)
        raise ConfigurationError(f"precision: expected {expected}, got {precision!r}")
