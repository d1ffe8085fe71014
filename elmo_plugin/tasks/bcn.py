"""The biattentive classification network, with ELMo at its input and its integrator's output."""

from typing import Any, Optional

import torch
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from allennlp.modules import TokenEmbedder
from allennlp.predictors import Predictor, TextClassifierPredictor
from allennlp_models.classification.dataset_readers.stanford_sentiment_tree_bank import (
    StanfordSentimentTreeBankDatasetReader,
)
from allennlp_models.classification.models.biattentive_classification_network import (
    BiattentiveClassificationNetwork,
)

from elmo_plugin.data.text_or_tokens import TextOrTokensTokenizer
from elmo_plugin.layers import ScalarMix
from elmo_plugin.tasks.printed_output import PrintedOutput

_SENTIMENTS = {
    "0": "very negative",
    "1": "negative",
    "2": "neutral",
    "3": "positive",
    "4": "very positive",
}


@Model.register("elmo_bcn")
class ElmoBcn(BiattentiveClassificationNetwork):
    """
    AllenNLP's `bcn` (McCann et al. 2017), whose ELMo is an embedder of this package.

    Registered as a `Model` with name "elmo_bcn".

    # Parameters

    elmo : `TokenEmbedder`, optional (default = `None`)
        Embedder of type "elmo" or "elmo_precomputed" for the tokens with the indexer key "elmo",
        with one mix per location: first the input (`use_input_elmo`), then the output of the
        integrator (`use_integrator_output_elmo`).
    **kwargs :
        The other parameters of `bcn`.
    """

    default_predictor = "elmo_text_classifier"

    def __init__(
        self, vocab: Vocabulary, elmo: Optional[TokenEmbedder] = None, **kwargs: Any
    ) -> None:
        super().__init__(vocab, elmo=None if elmo is None else _Representations(elmo), **kwargs)


class _Representations(torch.nn.Module):
    """Gives an embedder the interface of AllenNLP's `Elmo`, with one tensor per mix."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        super().__init__()
        self._embedder = embedder

    @property
    def _scalar_mixes(self) -> list[torch.nn.Module]:
        return [module for module in self._embedder.modules() if isinstance(module, ScalarMix)]

    def get_output_dim(self) -> int:
        return self._embedder.get_output_dim() // len(self._scalar_mixes)

    def forward(self, elmo_tokens: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        # Shape: (batch, tokens, mixes * dim)
        embedded = self._embedder(elmo_tokens)
        return {"elmo_representations": list(embedded.split(self.get_output_dim(), dim=-1))}


@Predictor.register("elmo_text_classifier")
class ElmoClassifierPredictor(PrintedOutput, TextClassifierPredictor):
    """
    Predicts from `{"sentence": "Some text."}` or `{"sentence": ["Some", "tokens", "."]}`.

    Classes have the names of their labels, or of sentiments after training on the five classes of
    the Stanford Sentiment Treebank ("sst_tokens" or "sst_phrases").

    Registered as a `Predictor` with name "elmo_text_classifier", the default of `elmo_bcn`.
    """

    printed = ("label",)
    probabilities = "class_probabilities"

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, all_outputs: bool = False
    ) -> None:
        super().__init__(model, dataset_reader, all_outputs=all_outputs)
        self._tokenizer = TextOrTokensTokenizer()

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        tokens = self._tokenizer.tokenize(json_dict["sentence"])
        return self._dataset_reader.text_to_instance(tokens)

    def predictions_to_labeled_instances(
        self, instance: Instance, outputs: dict[str, Any]
    ) -> list[Instance]:
        probabilities = outputs["class_probabilities"]
        return super().predictions_to_labeled_instances(instance, {"probs": probabilities})

    def class_names(self) -> dict[str, str]:
        names = super().class_names()
        treebank = isinstance(self._dataset_reader, StanfordSentimentTreeBankDatasetReader)
        if treebank and names.keys() == _SENTIMENTS.keys():
            return {label: _SENTIMENTS[label] for label in names}
        return names
