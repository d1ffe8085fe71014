"""The ESIM with dropout after its attention."""

from typing import Any

import torch
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.predictors import Predictor
from allennlp_models.pair_classification.models.esim import ESIM
from allennlp_models.pair_classification.predictors.textual_entailment import (
    TextualEntailmentPredictor,
)

from elmo_plugin.tasks.printed_output import PrintedOutput


@Model.register("elmo_esim")
class ElmoEsim(ESIM):
    """
    AllenNLP's `esim` (Chen et al. 2017), optionally with dropout on the result of the attention, as
    published for the model with ELMo (Peters et al. 2018, section A.3).

    Registered as a `Model` with name "elmo_esim".

    # Parameters

    attention_dropout : `float`, optional (default = `0.0`)
    **kwargs :
        The parameters of `esim`.
    """

    default_predictor = "elmo_textual_entailment"

    def __init__(self, vocab: Vocabulary, attention_dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._attention_dropout = torch.nn.Dropout(attention_dropout)
        # A hook, so that parameters keep the names that they have in `esim`.
        self._projection_feedforward.register_forward_pre_hook(self._drop_attended)

    def _drop_attended(
        self, module: torch.nn.Module, inputs: tuple[torch.Tensor]
    ) -> tuple[torch.Tensor]:
        return (self._attention_dropout(inputs[0]),)


@Predictor.register("elmo_textual_entailment")
class ElmoEntailmentPredictor(PrintedOutput, TextualEntailmentPredictor):
    """
    Predicts from `{"premise": "Some text.", "hypothesis": "Some text."}`.

    Registered as a `Predictor` with name "elmo_textual_entailment", the default of `elmo_esim`.
    """

    printed = ("label",)
    probabilities = "label_probs"
