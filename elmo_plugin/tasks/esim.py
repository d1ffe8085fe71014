"""The ESIM with dropout after its attention."""

from typing import Any

import torch
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp_models.pair_classification.models.esim import ESIM


@Model.register("elmo_esim")
class ElmoEsim(ESIM):
    """
    AllenNLP's `esim` (Chen et al. 2017), optionally with dropout on the result of the attention, as
    published for the model with ELMo (Peters et al. 2018, appendix).

    Registered as a `Model` with name "elmo_esim".

    # Parameters

    attention_dropout : `float`, optional (default = `0.0`)
    **kwargs :
        The parameters of `esim`.
    """

    def __init__(self, vocab: Vocabulary, attention_dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._attention_dropout = torch.nn.Dropout(attention_dropout)
        # A hook, so that parameters keep the names that they have in `esim`.
        self._projection_feedforward.register_forward_pre_hook(self._drop_attended)

    def _drop_attended(
        self, module: torch.nn.Module, inputs: tuple[torch.Tensor]
    ) -> tuple[torch.Tensor]:
        return (self._attention_dropout(inputs[0]),)
