"""The Model `bilm`: trains a biLM in AllenNLP."""

from dataclasses import fields
from typing import Any, Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, check_special_tokens
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.language_model import LanguageModel, LanguageModelOutput
from elmo_plugin.layers.lstm import LstmState
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.models.perplexity import Perplexity
from elmo_plugin.models.pretrained import copy_pretrained, read_pretrained
from elmo_plugin.weights.bilm_file import precision_type

# Default of a clip that the configuration leaves out; null means no bound.
_UNSTATED = "default"


@Model.register("bilm")
class BilmModel(Model):
    """
    A `LanguageModel`: maximizes the joint log-likelihood of both directions (section 3.1).

    In training, rows are streams (see the data loader "bilm_streams"): the LSTM state is carried
    from batch to batch, and backpropagation ends where a batch begins. In evaluation, each row is
    a sentence that starts from the zero state, so a text's perplexity depends on the text alone.

    Registered as a `Model` with name "bilm".

    # Parameters

    vocab : `Vocabulary`
        With the namespace "bilm", see the vocabulary "bilm_text".
    filters, character_dim, max_characters, num_highways, activation, projection_dim, cell_dim,
    num_layers, residual : optional (default = `None`)
        Sizes; see `BilmConfig`. `None` for those of `pretrained_file`, where it is given, and
        otherwise the published model's.
    cell_clip, projection_clip : optional (default = `"default"`)
        Bounds; `None` for no bound. "default": those of `pretrained_file` or the published model.
    dropout : `float`, optional (default = `0.1`)
        Applied to the input of each LSTM layer and to the output.
    num_samples : `int`, optional (default = `8192`)
        Words of the sampled softmax in training; `None` for the full softmax, which is also used
        where the vocabulary has no more words than that.
    samples_per_direction : `bool`, optional (default = `False`)
        Draw samples for each direction, as published, instead of one set for both.
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for matrix products of that type in training, where the hardware is fast at
        them; weights and cell states stay float32, and so does all evaluation.
    pretrained_file : `str`, optional (default = `None`)
        Trained biLM to start from: "built-in", a directory of files, a weight file, an archive or a
        serialization directory; see `resolve`. Its vocabulary is the vocabulary "bilm_pretrained".
        `allennlp train` records its sizes in config.json: the archive does not need this file.
    num_softmax_batches : `int`, optional (default = `1000`)
        Batches for which a new softmax is trained alone first, if `pretrained_file` has none.

    # Raises

    `ConfigurationError` : invalid sizes, or others than those of `pretrained_file`; a vocabulary
    that is not its softmax's; files that cannot be read.
    """

    default_predictor = "bilm"
    softmax_batches_left: torch.Tensor
    language_model: LanguageModel

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
        cell_clip: Union[float, str, None] = _UNSTATED,
        projection_clip: Union[float, str, None] = _UNSTATED,
        residual: Optional[bool] = None,
        dropout: float = 0.1,
        num_samples: Optional[int] = 8192,
        samples_per_direction: bool = False,
        precision: str = "float32",
        pretrained_file: Optional[str] = None,
        num_softmax_batches: int = 1000,
    ) -> None:
        sizes = _stated_sizes(locals())
        super().__init__(vocab)
        check_special_tokens(vocab)
        self.register_buffer("softmax_batches_left", torch.tensor(0))
        with configuration_errors():
            weights = read_pretrained(pretrained_file, sizes, vocab)
            config = weights.bilm.config if weights else BilmConfig(**sizes)
            self.bilm = Bilm(config, dropout=dropout, precision=_matrix_type(precision))
            self.softmax = Softmax(vocab.get_vocab_size(NAMESPACE), config.projection_dim)
            samples = (num_samples, samples_per_direction)
            model = LanguageModel(self.bilm, self.softmax, dropout, *samples)
        if weights and not copy_pretrained(weights, model, num_softmax_batches):
            self.softmax_batches_left.fill_(num_softmax_batches)
        # Not a submodule: archives name the parameters bilm.* and softmax.*.
        object.__setattr__(self, "language_model", model)
        self._states: list[LstmState] = []
        self._sampled, self._perplexity = Perplexity(), Perplexity()
        # A batch has one loss, not one per sentence; AllenNLP would warn.
        self._warn_for_unseparable_batches = {"loss"}

    def train(self, mode: bool = True) -> "BilmModel":
        self.language_model.train(mode)
        return super().train(mode)

    def forward(self, text: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """
        Compute the loss of a batch (section 3.1).

        # Parameters

        text : `Dict[str, torch.Tensor]`
            `words`, `inputs` and `targets` of `LanguageModel.forward`.

        # Returns

        `Dict[str, torch.Tensor]` :
            loss, the negative log-likelihood of a row, averaged over rows and directions (divide
            it by `unroll_steps` for the loss per word of full windows); in evaluation also
            forward_log_likelihood and backward_log_likelihood, in nats, each of shape (rows,).
        """
        self._check_characters(text["words"])
        output = self._train_step(text) if self.training else self.language_model(**text)
        is_sampled = self.training and self.language_model.sampler
        metric = self._sampled if is_sampled else self._perplexity
        losses = -output.token_log_likelihoods.detach()
        metric(losses.sum((1, 2)), output.num_predictions.sum(1))
        if self.training:
            return {"loss": output.loss}
        names = ("forward_log_likelihood", "backward_log_likelihood")
        return {"loss": output.loss, **dict(zip(names, output.log_likelihoods))}

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        Return forward_perplexity, backward_perplexity and perplexity, with the full softmax, after
        evaluation; in training with samples, sampled_loss, the mean estimate of the loss in nats.
        """
        metrics = {"sampled_loss": self._sampled.mean()} if self._sampled.counted else {}
        if self._perplexity.counted:
            metrics.update(self._perplexity.get_metric())
        if reset:
            self._sampled.reset()
            self._perplexity.reset()
        return metrics

    def stream_state(self) -> dict[str, Any]:
        """Return what training needs beside the weights to continue with the next batch."""
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

    def _train_step(self, text: dict[str, torch.Tensor]) -> LanguageModelOutput:
        rows = text["inputs"].size(1)
        if not self._states or self._states[0].hidden.size(1) != rows:
            self._states = self.bilm.zero_states(rows)
        softmax_alone = bool(self.softmax_batches_left)
        output = self.language_model(**text, states=self._states, train_bilm=not softmax_alone)
        self.softmax_batches_left -= int(softmax_alone)
        self._states = output.states
        return output

    def _check_characters(self, words: torch.Tensor) -> None:
        found, expected = words.size(1), self.bilm.config.max_characters
        if found != expected:
            raise ConfigurationError(
                f"max_characters: expected the model's {expected}, "
                f"got words of {found} characters from the dataset reader"
            )


def _stated_sizes(arguments: dict[str, Any]) -> dict[str, Any]:
    sizes = {field.name: arguments[field.name] for field in fields(BilmConfig)}
    clips = ("cell_clip", "projection_clip")
    return {n: size for n, size in sizes.items() if size != (_UNSTATED if n in clips else None)}


def _matrix_type(precision: str) -> Optional[torch.dtype]:
    """Return the type in which matrices are multiplied, `None` for that of the weights."""
    found = precision_type(precision)
    return None if found == torch.float32 else found
