"""Coreference resolution with the speakers and the genre of a document."""

from collections.abc import Iterable
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.data import DatasetReader, Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import LabelField, TensorField
from allennlp.models import Model
from allennlp.modules import Embedding
from allennlp.nn import InitializerApplicator
from allennlp_models.common.ontonotes import Ontonotes

from elmo_plugin.tasks.coref import CorefSentencesReader, ElmoCoref

_GENRES = "genre_labels"


@DatasetReader.register("coref_metadata")
class CorefMetadataReader(CorefSentencesReader):
    """
    The reader "coref_sentences" with two more fields: `speakers`, the number of each token's
    speaker in its document, and `genre`, the first two letters of the document's name in OntoNotes.

    Registered as a `DatasetReader` with name "coref_metadata".
    """

    def _read(self, file_path: str) -> Iterable[Instance]:
        documents = Ontonotes().dataset_document_iterator(cached_path(file_path))
        for instance, sentences in zip(super()._read(file_path), documents):
            names = [name for sentence in sentences for name in sentence.speakers]
            numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
            speakers = [numbers[name] for name in names[: len(instance["text"])]]
            instance.add_field("speakers", TensorField(torch.tensor(speakers)))
            genre = sentences[0].document_id[:2]
            instance.add_field("genre", LabelField(genre, label_namespace=_GENRES))
            yield instance


@Model.register("elmo_coref_metadata")
class ElmoCorefMetadata(ElmoCoref):
    """
    The model "elmo_coref" with two more features of a pair of spans (Lee et al. 2017, section 4):
    whether they have the same speaker, and the genre. Without the fields of the reader
    "coref_metadata", all tokens have one speaker, and the genre's embedding is zero.

    Registered as a `Model` with name "elmo_coref_metadata".

    # Parameters

    feature_size : `int`
        Dimensions of each feature. The input of `antecedent_feedforward` is `2 * feature_size`
        larger than in "elmo_coref".
    **kwargs :
        The parameters of "elmo_coref" but `coarse_to_fine` and `inference_order`.

    # Raises

    `ConfigurationError` : `coarse_to_fine` or `inference_order` is given.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        feature_size: int,
        initializer: Optional[InitializerApplicator] = None,
        **kwargs: Any,
    ) -> None:
        for name in ("coarse_to_fine", "inference_order"):
            if name in kwargs:
                raise ConfigurationError(f"{name}: expected none in this model, got {kwargs[name]}")
        super().__init__(vocab, feature_size=feature_size, **kwargs)
        genres = max(vocab.get_vocab_size(_GENRES), 1)
        self._same_speaker_embedding = Embedding(feature_size, num_embeddings=2)
        self._genre_embedding = Embedding(feature_size, num_embeddings=genres)
        # The span's speaker travels from here to the pairs as the last dimension of its embedding.
        self._attentive_span_extractor.register_forward_hook(self._append_speakers)
        self._mention_feedforward.register_forward_pre_hook(_without_speakers)
        if initializer is not None:
            initializer(self)

    def forward(
        self,
        text: TextFieldTensors,
        spans: torch.Tensor,
        span_labels: Optional[torch.Tensor] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
        speakers: Optional[torch.Tensor] = None,
        genre: Optional[torch.Tensor] = None,
    ) -> dict[str, Any]:
        """
        Resolve coreference with speakers and genre.

        # Parameters

        speakers : `torch.Tensor`, optional (default = `None`)
            Shape (batch, tokens).
        genre : `torch.Tensor`, optional (default = `None`)
            Shape (batch,).

        The others and the result are those of "elmo_coref".
        """
        self._speakers, self._genre = speakers, genre
        return super().forward(text, spans, span_labels, metadata)

    def _append_speakers(
        self, module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], heads: torch.Tensor
    ) -> torch.Tensor:
        _, spans, *_ = inputs
        first = spans[..., 0]
        found = (
            torch.zeros_like(first) if self._speakers is None else self._speakers.gather(1, first)
        )
        return torch.cat([heads, found.unsqueeze(-1).to(heads.dtype)], dim=-1)

    def _compute_span_pair_embeddings(
        self, spans: torch.Tensor, antecedents: torch.Tensor, offsets: torch.Tensor
    ) -> torch.Tensor:
        pairs = super()._compute_span_pair_embeddings(
            spans[..., :-1], antecedents[..., :-1], offsets
        )
        # Shape: (batch, spans, antecedents)
        same = spans[..., None, -1] == antecedents[..., -1]
        genre = pairs.new_zeros(len(pairs), self._genre_embedding.get_output_dim())
        if self._genre is not None:
            genre = self._genre_embedding(self._genre)
        genre = genre[:, None, None].expand(*same.shape, -1)
        return torch.cat([pairs, self._same_speaker_embedding(same.long()), genre], dim=-1)


def _without_speakers(
    module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]
) -> tuple[torch.Tensor]:
    return (inputs[0][..., :-1],)
