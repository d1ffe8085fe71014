"""Fixtures of biLMs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.data import Vocabulary

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.weights.language_model_files import save_language_model
from tests.helpers.bilm_models import WORDS
from tests.helpers.bilm_training import ROOT
from tests.helpers.pretrained_bilms import ODD, PUBLISHED, KeepTheFirstWeights


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    (tmp_path / "text").write_text(" ".join(WORDS))
    return BilmVocabulary.from_text(str(tmp_path / "text"))


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths in the configurations are relative to the repository's root."""
    monkeypatch.chdir(ROOT)
    KeepTheFirstWeights.weights.clear()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Directory of a training run; `files` and `published` hold its export by our and other names.
    """
    directory = tmp_path_factory.mktemp("trained") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
        model = train_model(Params.from_file(config, json.dumps(ODD)), str(directory))
    words = words_in_order(model.vocab)
    save_language_model(model.bilm, model.softmax, words, directory / "files")
    shutil.copytree(directory / "files", directory / "published")
    for ours, theirs in PUBLISHED.items():
        (directory / "published" / ours).rename(directory / "published" / theirs)
    return directory
