"""The biattentive classification network, with ELMo at its encoder's output."""

from typing import Any

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder
from allennlp.predictors import Predictor, TextClassifierPredictor
from allennlp_models.classification.models.biattentive_classification_network import (
    BiattentiveClassificationNetwork,
)

from elmo_plugin.data.text_or_tokens import TextOrTokensTokenizer


@Model.register("elmo_bcn")
class ElmoBcn(BiattentiveClassificationNetwork):
    """
    AllenNLP's `bcn` (McCann et al. 2017), whose first layer may be any encoder. With `elmo_output`,
    ELMo bypasses that layer.

    Registered as a `Model` with name "elmo_bcn".

    # Parameters

    pre_encode_feedforward : `Seq2SeqEncoder`
        Type "feedforward" is the layer of `bcn`.
    **kwargs :
        The other parameters of `bcn`.
    """

    default_predictor = "elmo_text_classifier"

    def __init__(
        self, vocab: Vocabulary, pre_encode_feedforward: Seq2SeqEncoder, **kwargs: Any
    ) -> None:
        super().__init__(vocab, pre_encode_feedforward=pre_encode_feedforward, **kwargs)


@Predictor.register("elmo_text_classifier")
class ElmoClassifierPredictor(TextClassifierPredictor):
    """
    Predicts from `{"sentence": "Some text."}` or `{"sentence": ["Some", "tokens", "."]}`.

    Registered as a `Predictor` with name "elmo_text_classifier", the default of `elmo_bcn`.
    """

    def __init__(self, model: Model, dataset_reader: DatasetReader) -> None:
        super().__init__(model, dataset_reader)
        self._tokenizer = TextOrTokensTokenizer()

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        tokens = self._tokenizer.tokenize(json_dict["sentence"])
        return self._dataset_reader.text_to_instance(tokens)
