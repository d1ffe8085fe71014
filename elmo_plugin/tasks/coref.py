"""Coreference resolution with ELMo in the input of the context layer, one sentence at a time."""

import logging
import math
from collections.abc import Iterable
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.data import DatasetReader, Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import TextFieldEmbedder
from allennlp.modules.span_extractors import SelfAttentiveSpanExtractor
from allennlp.nn import InitializerApplicator
from allennlp.nn.util import get_text_field_mask
from allennlp_models.coref.dataset_readers.conll import ConllCorefReader
from allennlp_models.coref.models.coref import CoreferenceResolver

logger = logging.getLogger(__name__)


@DatasetReader.register("coref_sentences")
class CorefSentencesReader(ConllCorefReader):
    """
    AllenNLP's `coref` reader, which sets each token's `type_id` to the number of its sentence,
    counted from 0, for the indexer "elmo_characters_by_sentence".

    Registered as a `DatasetReader` with name "coref_sentences". Parameters are those of "coref".

    # Raises

    `ConfigurationError` : a `wordpiece_modeling_tokenizer`, whose tokens have no such numbers.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self._wordpiece_modeling_tokenizer is not None:
            raise ConfigurationError("wordpiece_modeling_tokenizer: expected none, got one")

    def _read(self, file_path: str) -> Iterable[Instance]:
        found = False
        for instance in super()._read(file_path):
            found = found or bool(instance["metadata"]["clusters"])
            yield instance
        if not found:
            logger.warning("%s: found no mention in its last column, coreference", file_path)

    def text_to_instance(
        self,
        sentences: list[list[str]],
        gold_clusters: Optional[list[list[tuple[int, int]]]] = None,
    ) -> Instance:
        """
        Return the instance of a document, with the sentence of each token in its `type_id`.

        # Raises

        `ConfigurationError` : a document without words.
        """
        if not any(sentences):
            raise ConfigurationError("sentences: expected at least one word, got none")
        instance = super().text_to_instance(sentences, gold_clusters)
        numbers = (number for number, sentence in enumerate(sentences) for _ in sentence)
        for token, number in zip(instance["text"].tokens, numbers):
            token.type_id = number
        return instance


@Model.register("elmo_coref")
class ElmoCoref(CoreferenceResolver):
    """
    AllenNLP's `coref` (Lee et al. 2017) with ELMo in the input of the context layer only: a span's
    head word (section 4 there) is a weighted mean of the last `head_dim` dimensions of its words'
    vectors, those of x_k.

    Registered as a `Model` with name "elmo_coref".

    # Parameters

    head_dim : `int`
    **kwargs :
        The parameters of `coref`.

    # Raises

    `ConfigurationError` : `head_dim` or the input of the context layer does not fit the embedder.
    """

    default_predictor = "elmo_coref"
    _spans_per_word: float

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        head_dim: int,
        initializer: Optional[InitializerApplicator] = None,
        **kwargs: Any,
    ) -> None:
        if not 0 < head_dim <= text_field_embedder.get_output_dim():
            raise ConfigurationError(
                f"head_dim: expected from 1 to {text_field_embedder.get_output_dim()}, the "
                f"dimensions of the embedded text, got {head_dim}"
            )
        super().__init__(vocab, text_field_embedder, **kwargs)
        # PyTorch does not check the size of packed inputs of an LSTM.
        check_dimensions_match(
            text_field_embedder.get_output_dim(),
            self._context_layer.get_input_dim(),
            "text field embedding dim",
            "context layer input dim",
        )
        self._attentive_span_extractor = _HeadWords(head_dim)
        if initializer is not None:
            initializer(self)

    def forward(
        self,
        text: TextFieldTensors,
        spans: torch.Tensor,
        span_labels: Optional[torch.Tensor] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, Any]:
        """
        Calls the `forward` of `coref`, except for documents too short to compare two spans: these
        have no clusters.

        # Parameters

        As those of `coref`.

        # Returns

        `Dict[str, Any]` : as `coref` does.

        # Raises

        `ConfigurationError` : such a document has labels, for which there is no loss.
        """
        tokens = get_text_field_mask(text).size(1)
        needed = max(2, math.ceil(1 / self._spans_per_word))
        if tokens >= needed:
            return super().forward(text, spans, span_labels, metadata)
        if span_labels is not None:
            raise ConfigurationError(
                f"text: expected labeled documents of at least {needed} tokens, got one of {tokens}"
            )
        # Shape: (batch, 0, 2)
        no_spans = spans[:, :0]
        return {
            "top_spans": no_spans,
            "antecedent_indices": no_spans,
            "predicted_antecedents": no_spans[..., 0],
            "document": [document["original_text"] for document in metadata or []],
        }

    def forward_on_instances(self, instances: list[Instance]) -> list[dict[str, Any]]:
        """
        Predict each document by itself: of a batch, `coref` compares as many spans of each document
        as of the longest one.
        """
        alone = super().forward_on_instances
        return [output for instance in instances for output in alone([instance])]


class _HeadWords(SelfAttentiveSpanExtractor):
    def forward(self, sequence_tensor: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
        return super().forward(sequence_tensor[..., -self._input_dim :], *args, **kwargs)
