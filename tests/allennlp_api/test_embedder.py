"""`ElmoEmbedder` against AllenNLP's biLM, and the files that it writes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import h5py
import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.elmo import _ElmoBiLm
from allennlp.nn.util import remove_sentence_boundaries

from elmo_plugin.allennlp_api import ElmoEmbedder
from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.embedding.open_vectors import open_vectors
from elmo_plugin.layers import batch_to_ids
from tests.helpers.elmo_embedders import stateless
from tests.helpers.random_bilm import SENTENCES, Files

TEXT = ["The cat sat .", "test / this is a first sentence", "The cat sat .", "one"]


@pytest.fixture
def embedder(files: Files) -> ElmoEmbedder:
    return ElmoEmbedder(*files)


def allennlp_layers(files: Files, sentences: list[list[str]]) -> torch.Tensor:
    """Shape (batch, layers, tokens, dim)."""
    bilm = stateless(_ElmoBiLm(*map(str, files)))
    output = bilm(batch_to_ids(sentences))
    layers = [remove_sentence_boundaries(a, output["mask"])[0] for a in output["activations"]]
    return torch.stack(layers, dim=1)


def test_batches_equal_allennlp(files: Files, embedder: ElmoEmbedder) -> None:
    expected = allennlp_layers(files, SENTENCES)
    vectors, mask = embedder.batch_to_embeddings(SENTENCES)
    torch.testing.assert_close(vectors, expected, atol=1e-5, rtol=0)
    assert mask.sum(1).tolist() == [len(s) for s in SENTENCES]
    batch = embedder.embed_batch(SENTENCES)
    for found, peer, sentence in zip(batch, expected, SENTENCES, strict=True):
        assert found.shape == (3, len(sentence), vectors.size(-1))
        assert found.dtype == numpy.float32
        numpy.testing.assert_allclose(found, peer[:, : len(sentence)], atol=1e-5)


def test_a_sentence_has_the_same_vectors_in_any_batch_and_order(embedder: ElmoEmbedder) -> None:
    together = list(embedder.embed_sentences(iter(SENTENCES), batch_size=4))
    for sentence, vectors in reversed(list(zip(SENTENCES, together))):
        numpy.testing.assert_allclose(embedder.embed_sentence(sentence), vectors, atol=1e-5)


def test_vectors_equal_embedder(files: Files, embedder: ElmoEmbedder) -> None:
    expected = Embedder.from_files(*files).encode(SENTENCES, layers="all")
    for found, peer in zip(embedder.embed_sentences(SENTENCES), expected, strict=True):
        numpy.testing.assert_allclose(found.swapaxes(0, 1), peer, atol=1e-5)


def test_state_is_carried_on_request(files: Files) -> None:
    embedder = ElmoEmbedder(*files, initial_state="carried")
    bilm = _ElmoBiLm(*map(str, files))
    for batch in (SENTENCES[:2], SENTENCES[1:4], SENTENCES[:1]):
        expected = bilm(batch_to_ids(batch))["activations"][2]
        for found, peer in zip(embedder.embed_batch(batch), expected.detach(), strict=True):
            numpy.testing.assert_allclose(found[2], peer[1 : 1 + found.shape[1]], atol=1e-5)


@pytest.mark.parametrize("batch", [[[]], [[], []], [["a"], []]])
def test_empty_sentences(embedder: ElmoEmbedder, batch: list[list[str]]) -> None:
    dim = embedder.elmo_bilm.get_output_dim()
    assert [v.shape for v in embedder.embed_batch(batch)] == [(3, len(s), dim) for s in batch]


def test_no_sentences(embedder: ElmoEmbedder) -> None:
    assert list(embedder.embed_sentences([])) == embedder.embed_batch([]) == []


def test_an_empty_batch_size_raises(embedder: ElmoEmbedder) -> None:
    with pytest.raises(ValueError, match="batch_size: expected a positive integer, got 0"):
        list(embedder.embed_sentences(SENTENCES, batch_size=0))


def test_a_string_in_place_of_a_list_of_tokens_raises(embedder: ElmoEmbedder) -> None:
    with pytest.raises(ConfigurationError, match="expected a list of words, got 'The cat sat'"):
        embedder.embed_sentence("The cat sat")


def write(embedder: ElmoEmbedder, path: Path, lines: list[str], **options: Any) -> None:
    text = path.with_suffix(".txt")
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with open(text, encoding="utf-8") as opened:
        embedder.embed_file(opened, str(path), batch_size=3, **options)


@pytest.mark.parametrize("output_format", ["all", "top", "average"])
def test_file_has_a_data_set_per_line(
    embedder: ElmoEmbedder, tmp_path: Path, output_format: Any
) -> None:
    write(embedder, tmp_path / "out.hdf5", TEXT, output_format=output_format)
    with h5py.File(tmp_path / "out.hdf5") as file:
        assert set(file) == {"0", "1", "2", "3", "sentence_to_index"}
        index = json.loads(file["sentence_to_index"][0])
        assert index == {sentence: str(i) for i, sentence in enumerate(TEXT)}
        for i, sentence in enumerate(TEXT):
            layers = embedder.embed_sentence(sentence.split())
            expected = {"all": layers, "top": layers[2], "average": layers.mean(0)}
            assert file[str(i)].dtype == numpy.float32
            numpy.testing.assert_allclose(file[str(i)], expected[output_format], atol=1e-5)


def test_keys_of_the_file(embedder: ElmoEmbedder, tmp_path: Path) -> None:
    write(embedder, tmp_path / "numbers.hdf5", TEXT, forget_sentences=True)
    write(embedder, tmp_path / "sentences.hdf5", TEXT[:2], use_sentence_keys=True)
    with h5py.File(tmp_path / "numbers.hdf5") as file:
        assert set(file) == {"0", "1", "2", "3"}
    with h5py.File(tmp_path / "sentences.hdf5") as file:
        for sentence in TEXT[:2]:
            assert file[sentence].shape[:2] == (3, len(sentence.split()))


def test_open_vectors_reads_the_file(embedder: ElmoEmbedder, tmp_path: Path) -> None:
    write(embedder, tmp_path / "out.hdf5", TEXT)
    vectors = open_vectors(str(tmp_path / "out.hdf5"))
    assert len(vectors) == len(TEXT)
    for found, sentence in zip(vectors, TEXT, strict=True):
        expected = embedder.embed_sentence(sentence.split()).swapaxes(0, 1)
        numpy.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    "lines, options, message",
    [
        (["a", "", "b"], {}, "bad.txt, line 2: expected a sentence, found a blank line"),
        (TEXT, {"use_sentence_keys": True}, "expected sentences that differ.*found a second"),
        (["a", "."], {"use_sentence_keys": True}, "can name a dataset of HDF5.*found '.'"),
        (["1", "1/2 cup"], {"use_sentence_keys": True}, "can name a dataset.*found '1/2 cup'"),
        (TEXT, {"output_format": "last"}, "output_format: expected one of all, top, average"),
    ],
)
def test_errors_leave_no_file(
    embedder: ElmoEmbedder, tmp_path: Path, lines: list[str], options: Any, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        write(embedder, tmp_path / "bad.hdf5", lines, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


def test_reads_any_open_text(embedder: ElmoEmbedder, tmp_path: Path) -> None:
    embedder.embed_file(io.StringIO("one two\n"), tmp_path / "out.hdf5")
    with h5py.File(tmp_path / "out.hdf5") as file:
        assert file["0"].shape[:2] == (3, 2)


def test_output_that_is_the_input_raises(embedder: ElmoEmbedder, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("one two\n")
    with open(text) as lines, pytest.raises(ConfigurationError, match="expected an output file"):
        embedder.embed_file(lines, str(text))
    assert text.read_text() == "one two\n"
