"""Coreference resolution: ELMo per sentence, in the input of the context layer only."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import ELMoTokenCharactersIndexer, SingleIdTokenIndexer
from allennlp.data.tokenizers import Token
from allennlp.models import Model
from allennlp.modules import TokenEmbedder
from allennlp.nn.util import get_text_field_mask
from torch.testing import assert_close

from elmo_plugin.data.elmo_characters_by_sentence import ElmoCharactersBySentenceIndexer
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.modules.token_embedders import elmo, elmo_by_sentence  # noqa: F401  (registered)
from elmo_plugin.tasks.coref import CorefSentencesReader, ElmoCoref
from elmo_plugin.tasks.coref_predictor import ElmoCorefPredictor

FIXTURES = Path(__file__).parents[2] / "fixtures"
DOCUMENTS = [
    [["Ruth", "met", "Ivan", "."], ["She", "liked", "him", "."]],
    [["It", "rained", "."], ["Nobody", "came", "to", "the", "harbour", "."], ["Yes", "."]],
]
ELMO = {
    "type": "elmo",
    "options_file": str(FIXTURES / "bilm" / "options.json"),
    "weight_file": str(FIXTURES / "bilm" / "weights.hdf5"),
}


def reader(**indexers: Any) -> CorefSentencesReader:
    return CorefSentencesReader(max_span_width=3, token_indexers=indexers)


def tensors(instances: list[Instance], vocabulary: Vocabulary) -> dict[str, Any]:
    batch = Batch(instances)
    batch.index_instances(vocabulary)
    return batch.as_tensor_dict()


def test_vectors_of_a_document_are_those_of_its_sentences() -> None:
    elmo_reader = reader(elmo=ElmoCharactersBySentenceIndexer())
    instances = [elmo_reader.text_to_instance(document) for document in DOCUMENTS]
    text = tensors(instances, Vocabulary())["text"]
    apply_per_sentence = {"type": "elmo_by_sentence", "elmo": deepcopy(ELMO)}
    embedder = TokenEmbedder.from_params(Params(apply_per_sentence)).eval()
    alone = TokenEmbedder.from_params(Params(deepcopy(ELMO))).eval()
    assert embedder.get_output_dim() == alone.get_output_dim()
    with torch.no_grad():
        vectors = embedder(**text["elmo"])
        for row, document in zip(vectors, DOCUMENTS):
            expected = torch.cat([alone(batch_to_ids([sentence]))[0] for sentence in document])
            assert_close(row[: len(expected)], expected)
            assert not row[len(expected) :].any()
        whole = alone(batch_to_ids([[word for sentence in DOCUMENTS[0] for word in sentence]]))
        assert not torch.allclose(vectors[0, :8], whole[0])
    # What models take for padding is the same with no other indexer beside this one.
    assert get_text_field_mask(text).sum(1).tolist() == [8, 11]


def test_token_without_sentence_number() -> None:
    field = TextField([Token("Ruth")], {"elmo": ElmoCharactersBySentenceIndexer()})
    with pytest.raises(ConfigurationError, match=r"'Ruth' in its type_id.*coref_sentences"):
        field.index(Vocabulary())


@pytest.mark.parametrize("document", [[], [[]]])
def test_document_without_words(document: list[list[str]]) -> None:
    with pytest.raises(ConfigurationError, match="at least one word"):
        reader().text_to_instance(document)


def model(instances: list[Instance], head_dim: int, context_input: int = 69) -> Model:
    feedforward = {"num_layers": 1, "hidden_dims": 4, "activations": "relu"}
    span = 2 * 6 + 2 + head_dim
    config = {
        "type": "elmo_coref",
        "text_field_embedder": {
            "token_embedders": {
                "elmo": deepcopy(ELMO),
                "x": {"type": "embedding", "embedding_dim": 5},
            }
        },
        "head_dim": head_dim,
        "context_layer": {"type": "lstm", "input_size": context_input, "hidden_size": 6},
        "mention_feedforward": {"input_dim": span, **feedforward},
        "antecedent_feedforward": {"input_dim": 3 * span + 2, **feedforward},
        "feature_size": 2,
        "max_span_width": 3,
        "spans_per_word": 0.9,
        "max_antecedents": 5,
    }
    vocabulary = Vocabulary.from_instances(instances)
    return Model.from_params(Params(config), vocab=vocabulary).eval()


def test_head_words_are_of_static_vectors() -> None:
    indexers = {
        "elmo": ELMoTokenCharactersIndexer(),
        "x": SingleIdTokenIndexer(namespace="tokens"),
    }
    instances = [reader(**indexers).text_to_instance(DOCUMENTS[0], [[(0, 0), (4, 4)]])]
    coref = model(instances, head_dim=5)
    assert isinstance(coref, ElmoCoref)
    seen = {}
    for name in ("_context_layer", "_attentive_span_extractor"):
        coref.get_submodule(name).register_forward_hook(
            lambda module, given, output, name=name: seen.update({name: (given[0], output)})
        )
    coref(**tensors(instances, coref.vocab))["loss"].backward()
    embedded, heads = seen["_attentive_span_extractor"]
    assert embedded.shape == (1, 8, 69)
    assert seen["_context_layer"][0].shape == (1, 8, 69)
    # A span of one word has that word's static vector for its head, with nothing of ELMo's.
    starts_and_ends = [(f.span_start, f.span_end) for f in instances[0]["spans"]]
    for word in (0, 5):
        assert_close(heads[0, starts_and_ends.index((word, word))], embedded[0, word, -5:])


def test_head_dim_out_of_range() -> None:
    instances = [reader(x=SingleIdTokenIndexer(namespace="tokens")).text_to_instance(DOCUMENTS[0])]
    with pytest.raises(ConfigurationError, match=r"head_dim: expected from 1 to 69.*got 70"):
        model(instances, head_dim=70)


@pytest.mark.parametrize("context_input", [68, 70, 100])
def test_context_layer_of_another_size(context_input: int) -> None:
    instances = [reader(x=SingleIdTokenIndexer(namespace="tokens")).text_to_instance(DOCUMENTS[0])]
    with pytest.raises(ConfigurationError, match=f"got 69 and {context_input} instead"):
        model(instances, head_dim=5, context_input=context_input)


def test_short_documents_have_no_clusters() -> None:
    indexers = {
        "elmo": ELMoTokenCharactersIndexer(),
        "x": SingleIdTokenIndexer(namespace="tokens"),
    }
    short = [[["Hi"]], [[], ["Hi"]]]
    given = [reader(**indexers).text_to_instance(document) for document in (*DOCUMENTS, *short)]
    coref = model(given, head_dim=5)
    alone = [coref.forward_on_instance(instance) for instance in given]
    assert [found["clusters"] for found in alone[2:]] == [[], []]
    assert [found["document"] for found in alone[2:]] == [["Hi"], ["Hi"]]
    together = coref.forward_on_instances(given)
    assert [found["clusters"] for found in together[2:]] == [[], []]
    labeled = reader(**indexers).text_to_instance(short[0], [])
    with pytest.raises(ConfigurationError, match="of at least 2 tokens, got one of 1"):
        coref.forward_on_instance(labeled)


def test_predictions_do_not_depend_on_the_batch() -> None:
    indexers = {
        "elmo": ELMoTokenCharactersIndexer(),
        "x": SingleIdTokenIndexer(namespace="tokens"),
    }
    documents = [[["Ruth", "came"]], [[*DOCUMENTS[0][0], *DOCUMENTS[1][1]] * 3]]
    given = [reader(**indexers).text_to_instance(document) for document in documents]
    coref = model(given, head_dim=5)
    alone = [coref.forward_on_instance(instance) for instance in given]
    for found, expected in zip(coref.forward_on_instances(given), alone):
        assert found["top_spans"].tolist() == expected["top_spans"].tolist()
        assert found["clusters"] == expected["clusters"]


def test_methods_of_allennlps_predictor() -> None:
    indexers = {
        "elmo": ELMoTokenCharactersIndexer(),
        "x": SingleIdTokenIndexer(namespace="tokens"),
    }
    given = [reader(**indexers).text_to_instance(document) for document in DOCUMENTS]
    predictor = ElmoCorefPredictor(model(given, head_dim=5), reader(**indexers))
    text = "Ruth met Ivan . She liked him ."
    found = predictor.predict(document=text)
    assert found == predictor.predict_json({"document": text})
    assert found["document"] == predictor.predict_tokenized(text.split())["document"]
    assert predictor.coref_resolved(text)


def test_white_space_is_no_word() -> None:
    predictor = ElmoCorefPredictor(torch.nn.Linear(1, 1), reader(tokens=SingleIdTokenIndexer()))
    document = "Ruth came.  She left.\n\n Ivan saw her. "
    instance = predictor._json_to_instance({"document": document})
    assert [token.text for token in instance["text"]] == document.replace(".", " .").split()


def test_wordpieces_have_no_sentence_numbers() -> None:
    with pytest.raises(ConfigurationError, match="wordpiece_modeling_tokenizer: expected none"):
        CorefSentencesReader(max_span_width=3, wordpiece_modeling_tokenizer=object())
