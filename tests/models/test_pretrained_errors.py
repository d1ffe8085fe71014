"""Trained biLMs that do not fit a training run."""

from __future__ import annotations

import re
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models.archival import extracted_archive

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.models.bilm import BilmModel
from tests.helpers.bilm_training import ROOT
from tests.helpers.pretrained_bilms import FORMS


def _start(path: Path, vocab: Vocabulary, **sizes: Any) -> BilmModel:
    return BilmModel(vocab, pretrained_file=str(path), **sizes)


class TestWhatDoesNotFit:
    def test_words(self, trained: Path) -> None:
        vocab = BilmVocabulary.from_text(str(ROOT / "fixtures" / "lm" / "heldout.txt"))
        for form in FORMS:
            with pytest.raises(ConfigurationError, match=r"the first difference is at \d+: "):
                _start(trained / form, vocab)

    def test_number_of_batches(self, trained: Path) -> None:
        vocab = BilmVocabulary.from_pretrained(str(trained / FORMS[0]))
        message = "num_softmax_batches: expected at least 0, got -1"
        with pytest.raises(ConfigurationError, match=message):
            _start(trained / FORMS[0], vocab, num_softmax_batches=-1)

    @pytest.mark.parametrize("form", FORMS)
    def test_sizes(self, form: str, trained: Path) -> None:
        vocab = BilmVocabulary.from_pretrained(str(trained / form))
        _start(trained / form, vocab, cell_dim=32, filters=[[1, 8], [3, 8]], cell_clip=None)
        message = re.escape(f"{trained / form}: expected this biLM's sizes, cell_dim 32, got 40; ")
        with pytest.raises(ConfigurationError, match=f"{message}cell_clip None, got 3.0"):
            _start(trained / form, vocab, cell_dim=40, projection_dim=16, cell_clip=3.0)

    def test_a_softmax_of_another_size(self, trained: Path, tmp_path: Path) -> None:
        files = tmp_path / "files"
        shutil.copytree(trained / "files", files)
        lines = (files / "vocabulary.txt").read_text().splitlines(keepends=True)
        (files / "vocabulary.txt").write_text("".join(lines[:-1]))
        vocab = BilmVocabulary.from_pretrained(str(files))
        with pytest.raises(
            ConfigurationError, match=f"softmax/W: expected shape .{len(lines) - 1}"
        ):
            _start(files, vocab)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (b"a\n</S>\nc\n", "expected <S>, </S>, <UNK> and words, found no <S>, <UNK>"),
            (
                b"<S>\n</S>\n<UNK>\na\nb\na\n",
                "line 6: expected each word once, found 'a' as in line 4",
            ),
            (b"<S>\n\n", "line 2: expected a word, found none"),
            (b"<S>\n\xff\n", "expected UTF-8"),
        ],
    )
    def test_a_vocabulary_file(self, text: bytes, message: str, tmp_path: Path) -> None:
        (tmp_path / "vocabulary.txt").write_bytes(text)
        with pytest.raises(ConfigurationError, match=message):
            BilmVocabulary.from_pretrained(str(tmp_path))

    def test_a_vocabulary_in_an_archive(self, trained: Path, tmp_path: Path) -> None:
        archive = tmp_path / "damaged.tar.gz"
        with extracted_archive(trained / "model.tar.gz") as directory:
            words = Path(directory, "vocabulary", "bilm.txt")
            words.write_text(f"{words.read_text()}</S>\n")
            with tarfile.open(archive, "w:gz") as file:
                file.add(directory, ".")
        message = re.escape(f"{archive}/vocabulary/bilm.txt, line ")
        with pytest.raises(ConfigurationError, match=f"{message}.*expected each word once"):
            BilmVocabulary.from_pretrained(str(archive))
