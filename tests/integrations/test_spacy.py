"""The spaCy component `elmo` against `Embedder`, and spaCy's rules for components."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.tokens import Doc, Span

from elmo_plugin import Embedder
from elmo_plugin.integrations.spacy import add_vector_hooks, make_elmo
from tests.helpers.random_bilm import random_warm_bilm, save

TEXT = "The river bank was muddy. \n\n The bank is closed."
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def make(sentences: bool = True, vocab: Any = True, **config: Any) -> spacy.language.Language:
    nlp = spacy.blank("en", vocab=vocab)
    if sentences:
        nlp.add_pipe("sentencizer")
    nlp.add_pipe("elmo", config=config)
    return nlp


def words(tokens: Doc | Span) -> list[str]:
    return [token.text for token in tokens if not token.is_space]


def assert_near(found: Any, expected: Any) -> None:
    numpy.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("layers", ["average", "last", 1, "all"])
def test_tensor_holds_the_vectors_of_each_sentence(embedder: Embedder, layers: Any) -> None:
    doc = make(layers=layers)(TEXT)
    expected = numpy.concatenate(embedder.encode(map(words, doc.sents), layers=layers))
    kept = [not token.is_space for token in doc]
    assert len(list(doc.sents)) == 2 and not all(kept)
    assert_near(doc.tensor[kept], expected.reshape(len(expected), -1))
    assert not doc.tensor[numpy.logical_not(kept)].any()
    assert doc.tensor.dtype == numpy.float32


def test_without_boundaries_the_document_is_one_sentence(embedder: Embedder) -> None:
    doc = make(sentences=False)(TEXT)
    assert_near(doc.tensor[[not t.is_space for t in doc]], embedder.encode([words(doc)])[0])


@pytest.mark.parametrize("options", [{"initial_state": "warm"}, {"precision": "bfloat16"}])
def test_options_are_embedders(options: dict[str, Any], tmp_path: Path) -> None:
    save(random_warm_bilm(), tmp_path)
    doc = make(bilm=str(tmp_path), **options)(TEXT)
    sentences = [*map(words, doc.sents)]
    expected = numpy.concatenate(Embedder(tmp_path, **options).encode(sentences))
    plain = numpy.concatenate(Embedder(tmp_path).encode(sentences))
    assert abs(expected - plain).max() > 1e-4
    assert_near(doc.tensor[[not token.is_space for token in doc]], expected)


def test_pipe_equals_one_by_one() -> None:
    nlp = make(batch_size=4)
    texts = [TEXT, "", "One.", " \n", "Two words. Three more words!"] * 3
    for batch_size in (1, 4, 100):
        docs = list(nlp.pipe(texts, batch_size=batch_size))
        assert [doc.text for doc in docs] == texts
        for doc, text in zip(docs, texts):
            assert_near(doc.tensor, nlp(text).tensor)
    pairs = nlp.pipe([(TEXT, "context")], as_tuples=True)
    assert [context for _, context in pairs] == ["context"]


def test_vectors_and_similarity() -> None:
    doc = make()(TEXT)
    tensor = doc.tensor
    assert numpy.array_equal(doc[2].vector, tensor[2])
    assert_near(doc[2].vector_norm, numpy.linalg.norm(tensor[2]))
    assert_near(doc[:3].vector, tensor[:3].mean(0))
    assert_near(doc.vector, tensor[[not t.is_space for t in doc]].mean(0))
    assert doc[2].has_vector and doc.has_vector and not doc[6].has_vector
    first, second = (token for token in doc if token.text == "bank")
    expected = first.vector @ second.vector / first.vector_norm / second.vector_norm
    assert_near(first.similarity(second), expected)
    assert first.similarity(second) < 0.99 < first.similarity(first)
    assert -1 < doc.similarity(doc[:3]) < 1
    assert doc[6].similarity(doc[2]) == 0.0


def test_vectors_go_before_those_of_the_vocabulary() -> None:
    nlp = make()
    nlp.vocab.set_vector("bank", numpy.ones(3, "float32"))
    doc = nlp(TEXT)
    assert numpy.array_equal(doc[2].vector, doc.tensor[2])


def test_documents_without_words() -> None:
    for doc in make().pipe(["", " "]):
        assert doc.tensor.shape == (len(doc), 512)
        assert not doc.has_vector
        assert not doc.vector.any() and doc.vector.shape == (512,)


def test_merged_tokens_keep_a_vector() -> None:
    doc = make()(TEXT)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    assert doc.tensor.shape[0] == len(doc)
    assert numpy.array_equal(doc[1].vector, doc.tensor[1])


def test_saved_pipelines_keep_the_configuration(tmp_path: Path) -> None:
    nlp = make(layers="last", batch_size=3)
    expected = nlp(TEXT).tensor
    nlp.to_disk(tmp_path / "nlp")
    assert sum(f.stat().st_size for f in (tmp_path / "nlp").glob("elmo/**/*")) == 0
    loaded = spacy.load(tmp_path / "nlp")
    from_bytes = make(layers=0).from_bytes(nlp.to_bytes())
    assert loaded.get_pipe_config("elmo")["layers"] == "last"
    assert numpy.array_equal(loaded(TEXT).tensor, expected)
    assert from_bytes.pipe_names == nlp.pipe_names
    copied = pickle.loads(pickle.dumps(nlp.get_pipe("elmo")))
    assert_near(copied(nlp.make_doc("Two words")).tensor, nlp("Two words").tensor)


def test_hooks_after_a_document_is_stored() -> None:
    nlp = make()
    doc = nlp(TEXT)
    unpickled = pickle.loads(pickle.dumps(doc))
    assert_near(unpickled[2].similarity(unpickled[8]), doc[2].similarity(doc[8]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that hooks are not stored
        stored = doc.to_bytes()
    restored = Doc(nlp.vocab).from_bytes(stored)
    assert numpy.array_equal(restored.tensor, doc.tensor)
    add_vector_hooks(restored)
    assert_near(restored[2].similarity(restored[8]), doc[2].similarity(doc[8]))


def test_errors_go_to_the_pipelines_handler() -> None:
    nlp = make(layers=7)
    with pytest.raises(ValueError, match="layers: expected"):
        nlp(TEXT)
    failed: list[Doc] = []
    nlp.set_error_handler(lambda name, component, docs, error: failed.extend(docs))
    assert list(nlp.pipe([TEXT, TEXT])) == []
    assert [doc.text for doc in failed] == [TEXT, TEXT]


def test_a_wrong_type_in_the_configuration_raises() -> None:
    with pytest.raises(Exception, match="batch_size"):
        make(batch_size="many")


def test_several_processes() -> None:
    # The first process has embedded before, in two threads, which no fork has.
    program = """
import json, warnings, spacy, torch, elmo_plugin.integrations.spacy
warnings.simplefilter("ignore")
torch.set_num_threads(2)
nlp = spacy.blank("en")
nlp.add_pipe("elmo")
nlp("One text.")
docs = list(nlp.pipe(["One text.", "Another one here."] * 4, n_process=2, batch_size=2))
print(json.dumps([doc.tensor.tolist() for doc in docs]))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, check=True, timeout=300)
    found = json.loads(done.stdout)
    nlp = make(sentences=False)
    assert len(found) == 8
    for tensor, text in zip(found, ["One text.", "Another one here."] * 4):
        assert_near(tensor, nlp(text).tensor)


def test_entry_point() -> None:
    section = PYPROJECT.read_text(encoding="utf-8").partition("entry-points.spacy_factories]\n")[2]
    name, _, value = section.splitlines()[0].partition(" = ")
    assert name == "elmo"
    assert EntryPoint(name, json.loads(value), "spacy_factories").load() is make_elmo
    assert spacy.blank("en").get_factory_meta("elmo").assigns
