"""The published models' files: weights, options, softmax and vocabulary."""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.models.loading import load_bilm_from, load_language_model
from elmo_plugin.weights import save_bilm
from elmo_plugin.weights.language_model_files import save_language_model
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve
from tests.helpers.bilm_training import ROOT
from tests.helpers.random_bilm import SMALL, random_bilm
from tests.reference.numpy_bilm import NumpyBilm

NAME = "elmo_2x16_8_28cnn_2xhighway"
HELDOUT = str(ROOT / "fixtures" / "lm" / "heldout.txt")
# bilm-tf finds the marks wherever they stand.
ORDERS = {
    "bilm-tf": ["<S>", "</S>", "<UNK>", "the", ",", "cat", "한국어", "sat"],
    "another": ["</S>", "<S>", "the", ",", "<UNK>", "cat", "한국어", "sat"],
}
SENTENCES = [["the", "cat", ",", "sat"], ["한국어", "unheard", "of"], ["!!!MAXTERMID"], []]


def _publish(folder: Path, lines: list[str], rows: int, vocabulary: str = "vocab-2016-09-10.txt"):
    """Write a model with random weights; return its weight file, and W and b of its softmax."""
    weights = folder / f"{NAME}_weights.hdf5"
    save_bilm(random_bilm(), folder / f"{NAME}_options.json", weights)
    (folder / vocabulary).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    random = numpy.random.default_rng(0)
    weight, bias = random.normal(size=(rows, SMALL.projection_dim)), random.normal(size=rows)
    with h5py.File(folder / f"{NAME}_softmax_weights.hdf5", "w") as file:
        file["softmax/W"], file["softmax/b"] = weight, bias
    return weights, weight, bias


@pytest.mark.parametrize("lines", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("end", ["no last line", "a last line", "a last line with a row"])
def test_probabilities_equal_numpy(lines: list[str], end: str, tmp_path: Path) -> None:
    extra = [] if end == "no last line" else ["!!!MAXTERMID"]
    rows = len(lines) + end.endswith("a row")
    weights, weight, bias = _publish(tmp_path, lines + extra, rows)
    vocabulary = BilmVocabulary.from_pretrained(str(weights))
    model = BilmModel(vocabulary, pretrained_file=str(weights)).eval()

    words = [*lines, *extra][:rows]
    assert words_in_order(vocabulary)[:3] == ["<S>", "</S>", "<UNK>"]
    assert sorted(words_in_order(vocabulary)) == sorted(words)
    reference = NumpyBilm(tmp_path / f"{NAME}_options.json", weights)
    for sentence in SENTENCES:
        hidden, _ = reference.sentence_with_boundaries(sentence)
        forward, backward = numpy.split(hidden[-1], 2, axis=-1)
        output = model.forward_on_instance(BilmTextReader().text_to_instance(sentence))
        for direction, states, targets in (
            ("forward", forward[:-1], [*sentence, "</S>"]),
            ("backward", backward[1:], ["<S>", *sentence]),
        ):
            scores = states @ weight.T + bias
            ids = [words.index(word if word in words else "<UNK>") for word in targets]
            expected = scores[range(len(ids)), ids] - numpy.log(numpy.exp(scores).sum(-1))
            found = output[f"{direction}_log_likelihood"]
            numpy.testing.assert_allclose(found, expected.sum(), rtol=1e-5)


def test_weight_file_is_loaded_as_a_language_model(tmp_path: Path) -> None:
    weights, *_ = _publish(tmp_path, ORDERS["another"], len(ORDERS["another"]))
    model, words = load_language_model(str(weights))
    assert model.bilm.config == SMALL
    assert sorted(words) == sorted(ORDERS["another"])
    assert model.sampler is None


def test_other_names_of_softmax_and_vocabulary(tmp_path: Path) -> None:
    lines = ORDERS["bilm-tf"]
    weights, *_ = _publish(tmp_path, lines, len(lines), "vocab-enwiki-news-500000.txt")
    files = resolve(str(weights))
    assert isinstance(files, LanguageModelFiles)
    assert files.vocabulary == str(tmp_path / "vocab-enwiki-news-500000.txt")
    (tmp_path / "vocabulary.txt").write_text("chosen")
    assert files.vocabulary == str(tmp_path / "vocabulary.txt")
    # Beside an exported biLM, that one belongs to it.
    (tmp_path / "weights.hdf5").write_bytes(b"")
    assert files.vocabulary == str(tmp_path / "vocab-enwiki-news-500000.txt")
    (tmp_path / "weights.hdf5").unlink()
    assert files.softmax == str(tmp_path / f"{NAME}_softmax_weights.hdf5")
    Path(files.softmax).rename(tmp_path / "softmax.hdf5")
    assert files.softmax == str(tmp_path / "softmax.hdf5")


def test_another_default_type_changes_nothing(tmp_path: Path) -> None:
    words = ["<S>", "</S>", "<UNK>", "word"]
    softmax = Softmax(len(words), SMALL.projection_dim)
    save_language_model(random_bilm(), softmax, words, tmp_path)
    torch.set_default_dtype(torch.float64)
    try:
        loaded, _ = load_language_model(str(tmp_path))
    finally:
        torch.set_default_dtype(torch.float32)
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    assert torch.equal(loaded.softmax.weight, softmax.weight)


def test_maxtermid_is_kept_where_it_has_a_row(tmp_path: Path) -> None:
    words = ["<S>", "</S>", "<UNK>", "word", "!!!MAXTERMID"]
    save_language_model(random_bilm(), Softmax(5, SMALL.projection_dim), words, tmp_path)
    assert words_in_order(BilmVocabulary.from_pretrained(str(tmp_path))) == words


class TestWhatDoesNotFit:
    @pytest.mark.parametrize("extra", [[], ["!!!MAXTERMID"]])
    @pytest.mark.parametrize("difference", [-2, -1, 2])
    def test_rows(self, extra: list[str], difference: int, tmp_path: Path) -> None:
        lines = [*ORDERS["bilm-tf"], *extra]
        weights, *_ = _publish(tmp_path, lines, 8 + difference)
        with pytest.raises(
            ConfigurationError, match=r"_softmax_weights\.hdf5: does not fit 8 words"
        ):
            load_language_model(str(weights))

    def test_no_vocabulary(self, tmp_path: Path) -> None:
        weights, *_ = _publish(tmp_path, ORDERS["bilm-tf"], 8)
        (tmp_path / "vocab-2016-09-10.txt").unlink()
        message = re.escape(f"{weights}: expected the words that it predicts beside it")
        with pytest.raises(ConfigurationError, match=message):
            BilmVocabulary.from_pretrained(str(weights))
        # Follow the advice of the error.
        softmax = tmp_path / f"{NAME}_softmax_weights.hdf5"
        with pytest.raises(ConfigurationError, match=f"To fit a new softmax, remove {softmax} and"):
            load_language_model(str(weights))
        softmax.unlink()
        model = BilmModel(BilmVocabulary.from_text(HELDOUT), pretrained_file=str(weights))
        assert model.softmax_batches_left > 0

    def test_weights_are_not_their_own_softmax(self, tmp_path: Path) -> None:
        weights, *_ = _publish(tmp_path, ORDERS["bilm-tf"], 8)
        renamed = tmp_path / "my.hdf5"
        weights.rename(renamed)
        assert LanguageModelFiles(f"{tmp_path}//my.hdf5").softmax is None

    def test_two_vocabularies(self, tmp_path: Path) -> None:
        weights, *_ = _publish(tmp_path, ORDERS["bilm-tf"], 8)
        (tmp_path / "vocab-a.txt").write_text("a\n")
        message = "expected one vocabulary beside it, found vocab-2016-09-10.txt, vocab-a.txt"
        with pytest.raises(ConfigurationError, match=message):
            load_language_model(str(weights))

    def test_a_softmax_that_is_no_hdf5(self, tmp_path: Path) -> None:
        lines = [*ORDERS["bilm-tf"], "!!!MAXTERMID"]
        weights, *_ = _publish(tmp_path, lines, 8)
        softmax = tmp_path / f"{NAME}_softmax_weights.hdf5"
        softmax.write_bytes(b"no HDF5")
        message = re.escape(f"{softmax}: expected a whole HDF5 file")
        with pytest.raises(ConfigurationError, match=message):
            BilmVocabulary.from_pretrained(str(weights))

    def test_no_bilm_at_all(self, tmp_path: Path) -> None:
        for read in (BilmVocabulary.from_pretrained, load_language_model, load_bilm_from):
            message = re.escape(f"'{tmp_path}': expected a trained biLM")
            with pytest.raises(FileNotFoundError, match=message):
                read(str(tmp_path))


def test_another_bilms_softmax_is_not_used(tmp_path: Path) -> None:
    for name in ("softmax.hdf5", "other_weights.hdf5", "weights.hdf5"):
        (tmp_path / name).touch()
    assert LanguageModelFiles(str(tmp_path / "other_weights.hdf5")).softmax is None
    own = LanguageModelFiles(str(tmp_path / "weights.hdf5"))
    assert own.softmax == str(tmp_path / "softmax.hdf5")
