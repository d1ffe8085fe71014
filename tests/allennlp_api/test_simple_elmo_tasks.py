"""
What simple_elmo's README.md and examples (github.com/ltgoslo/simple_elmo) do with `ElmoModel`, done
with `Embedder`.
"""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from elmo_plugin import Embedder
from elmo_plugin.allennlp_api import ElmoEmbedder
from tests.helpers.random_bilm import Files

SENTENCES = [["The", "bank", "is", "closed", "."], ["Another", "bank"], ["one"]]


@pytest.fixture
def model(files: Files, tmp_path: Path) -> Embedder:
    # model.load(PATH_TO_ELMO): a directory with model.hdf5 and options.json
    (tmp_path / "model.hdf5").write_bytes(files.weights.read_bytes())
    (tmp_path / "options.json").write_bytes(files.options.read_bytes())
    return Embedder.from_files(tmp_path / "options.json", tmp_path / "model.hdf5")


@pytest.fixture
def layers(files: Files) -> list[numpy.ndarray]:
    return list(ElmoEmbedder(*files).embed_batch(SENTENCES))


def padded(vectors: list[numpy.ndarray]) -> numpy.ndarray:
    tensors = [torch.from_numpy(sentence) for sentence in vectors]
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True).numpy()


def test_get_elmo_vectors(model: Embedder, layers: list[numpy.ndarray]) -> None:
    # model.get_elmo_vectors(SENTENCES, layers="average" | "top" | "all")
    average = padded(model.encode(SENTENCES, layers="average", batch_size=32))
    top = padded(model.encode(SENTENCES, layers="last"))
    every = padded(model.encode(SENTENCES, layers="all"))
    assert average.shape == top.shape == (3, 5, model.dim)
    assert every.shape == (3, 5, 3, model.dim)
    for row, expected in enumerate(layers):
        length = len(SENTENCES[row])
        numpy.testing.assert_allclose(average[row, :length], expected.mean(0), atol=1e-5)
        numpy.testing.assert_allclose(top[row, :length], expected[2], atol=1e-5)
        numpy.testing.assert_allclose(every[row, :length], expected.swapaxes(0, 1), atol=1e-5)
        assert not average[row, length:].any()


def test_get_elmo_vector_average(model: Embedder, layers: list[numpy.ndarray]) -> None:
    # model.get_elmo_vector_average(SENTENCES)
    found = model.encode(SENTENCES, pooling="mean")
    expected = numpy.stack([sentence.mean((0, 1)) for sentence in layers])
    numpy.testing.assert_allclose(found, expected, atol=1e-5)


def test_most_similar_word(model: Embedder, layers: list[numpy.ndarray]) -> None:
    # examples/get_elmo_vectors.py
    first, second, *_ = model.encode(SENTENCES)
    mean = [sentence.mean(0) for sentence in layers]
    numpy.testing.assert_allclose(first @ second[1], mean[0] @ mean[1][1], rtol=1e-4)


def test_text_pairs() -> None:
    # examples/text_classification.py: one feature, the product of both averages
    texts = [["The cat sleeps .", "A dog barks ."], ["The cat sleeps .", "Stocks fell 3 % ."]]
    left, right = (Embedder().encode(side, pooling="mean") for side in zip(*texts))
    features = (left * right).sum(1, keepdims=True)
    alone = ElmoEmbedder()
    means = [[alone.embed_sentence(t.split()).mean((0, 1)) for t in side] for side in zip(*texts)]
    numpy.testing.assert_allclose(features[:, 0], numpy.multiply(*means).sum(1), rtol=1e-4)
    assert LogisticRegression().fit(features, [1, 0]).predict(features).shape == (2,)


def test_word_senses() -> None:
    # examples/wsd_eval.py: a classifier of the word's own vector
    contexts = [
        (["They", "wrote", "a", "play", "for", "the", "theatre"], 3, "drama"),
        (["The", "new", "play", "opened", "in", "London"], 2, "drama"),
        (["He", "made", "a", "play", "at", "second", "base"], 3, "sport"),
        (["The", "coach", "called", "the", "next", "play"], 5, "sport"),
    ]
    vectors = Embedder().encode((words for words, _, _ in contexts), layers="last")
    words = numpy.stack([v[index] for v, (_, index, _) in zip(vectors, contexts)])
    expected = [ElmoEmbedder().embed_sentence(words)[2, i] for words, i, _ in contexts]
    numpy.testing.assert_allclose(words, expected, atol=1e-4)
    words /= numpy.linalg.norm(words, axis=1, keepdims=True)
    senses = [sense for _, _, sense in contexts]
    classifier = LogisticRegression(class_weight="balanced", C=100).fit(words, senses)
    assert list(classifier.predict(words)) == senses
