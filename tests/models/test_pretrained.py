"""Training that starts from a trained biLM."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import _jsonnet
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.pretrained import load_pretrained_bilm
from tests.helpers.bilm_training import ROOT
from tests.helpers.interrupted_trainings import Interrupt, last_weights
from tests.helpers.pretrained_bilms import FORMS, KeepTheFirstWeights, copy_weights


def _finetune(start: str, directory: Path, changes: str = "", recover: bool = False) -> BilmModel:
    text = "fixtures/lm/heldout.txt"
    snippet = f"""(import 'finetune.jsonnet') {{
        start:: '{start}',
        paths+:: {{ lm: {{ train: '{text}', heldout: '{text}' }} }},
        model+: {{ precision: 'float32' }},
        data_loader+: {{ batch_size: 4, unroll_steps: 10, batches_per_epoch: 6 }},
        trainer+: {{ callbacks: [{{ type: 'keep_the_first_weights' }}] }},
    }} {changes}"""
    path = ROOT / "training_configs" / "bilm" / "test.jsonnet"
    config = json.loads(_jsonnet.evaluate_snippet(str(path), snippet))
    model = train_model(Params(config), str(directory), recover)
    assert isinstance(model, BilmModel)
    return model


@pytest.mark.parametrize("form", FORMS)
def test_training_starts_from_the_given_weights_sizes_and_vocabulary(
    form: str, trained: Path, tmp_path: Path
) -> None:
    files = sorted(trained.iterdir())
    model = _finetune(str(trained / form), tmp_path / "run")
    original = load_archive(trained).model
    assert model.bilm.config == original.bilm.config
    assert words_in_order(model.vocab) == words_in_order(original.vocab)
    first, expected = KeepTheFirstWeights.weights[0], copy_weights(original)
    assert first.keys() == expected.keys()
    assert all(torch.equal(first[name], expected[name]) for name in expected)
    last = KeepTheFirstWeights.weights[6]
    assert not any(torch.equal(first[name], last[name]) for name in first)
    assert sorted(trained.iterdir()) == files


@pytest.mark.parametrize("form", FORMS)
def test_vocabulary_in_the_home_directory(
    form: str, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(trained))
    found, expected = map(BilmVocabulary.from_pretrained, (f"~/{form}", str(trained / form)))
    assert words_in_order(found) == words_in_order(expected)


def test_starting_from_the_built_in_bilm() -> None:
    model = BilmModel(BilmVocabulary.from_pretrained("built-in"), pretrained_file="built-in")
    built_in = load_pretrained_bilm()
    assert model.bilm.config == built_in.config
    for name, weight in built_in.state_dict().items():
        # The state after text, of the weights as they are: training makes it invalid.
        expected = torch.zeros_like(weight) if name.startswith("warm") else weight
        assert torch.equal(model.bilm.state_dict()[name], expected)
    assert built_in.warm_hidden.any()


def test_archive_does_not_need_the_files_it_started_from(trained: Path, tmp_path: Path) -> None:
    copied = tmp_path / "start"
    shutil.copytree(trained / "files", copied)
    model = _finetune(str(copied), tmp_path / "run")
    shutil.rmtree(copied)
    for path in (tmp_path / "run" / "model.tar.gz", tmp_path / "run"):
        loaded = load_archive(path).model
        assert loaded.bilm.config == model.bilm.config
        assert all(torch.equal(loaded.state_dict()[k], v) for k, v in model.state_dict().items())
    predictor = Predictor.from_path(str(tmp_path / "run" / "model.tar.gz"))
    assert predictor.predict_json({"sentence": "It is late ."})["forward_log_likelihood"] < 0


def test_fine_tuning_is_resumed(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = str(trained / "files")
    two_epochs = "{ trainer+: { num_epochs: 2, callbacks: [{ type: 'interrupt' }] } }"
    _finetune(start, tmp_path / "whole", two_epochs)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Interrupt, "active", True)
        _finetune(start, tmp_path / "run", two_epochs)
    _finetune(start, tmp_path / "run", two_epochs, recover=True)
    whole, resumed = (last_weights(tmp_path / name) for name in ("whole", "run"))
    assert all(torch.equal(resumed[name], weight) for name, weight in whole.items())


def test_small_vocabulary_trains_with_the_full_softmax(trained: Path, tmp_path: Path) -> None:
    config = json.loads(_jsonnet.evaluate_file("training_configs/bilm/finetune.jsonnet"))
    model = _finetune(str(trained / "files"), tmp_path / "run")
    assert config["model"]["num_samples"] > len(model.softmax.bias)
    # Of the full softmax, in training too.
    assert "training_perplexity" in json.loads((tmp_path / "run/metrics_epoch_0.json").read_text())


@pytest.mark.parametrize("start", ["a directory", "a weight file"])
def test_new_softmax_is_trained_first(start: str, trained: Path, tmp_path: Path) -> None:
    files = tmp_path / "start"
    shutil.copytree(trained / "files", files)
    (files / "softmax.hdf5").unlink()
    (files / "vocabulary.txt").unlink()
    path = str(files if start == "a directory" else files / "weights.hdf5")
    vocabulary = "{ vocabulary: { type: 'bilm_text', path: 'fixtures/lm/heldout.txt' }"
    decay = "trainer+: { optimizer+: { weight_decay: 0.1 } }"
    changes = f"{vocabulary}, model+: {{ num_softmax_batches: 4 }}, {decay} }}"
    _finetune(path, tmp_path / "run", changes)
    assert "for the first 4 batches only a new one" in (tmp_path / "run" / "out.log").read_text()
    kept = KeepTheFirstWeights.weights
    for name in kept[0]:
        changed = [not torch.equal(kept[i][name], kept[i + 1][name]) for i in range(6)]
        assert changed == ([True] * 6 if name.startswith("softmax") else [False] * 4 + [True] * 2)


def test_softmax_alone_may_not_be_all_of_training(trained: Path, tmp_path: Path) -> None:
    files = tmp_path / "start"
    shutil.copytree(trained / "files", files)
    (files / "softmax.hdf5").unlink()
    message = "num_softmax_batches: expected fewer than the 6 batches .*, found 6"
    with pytest.raises(ConfigurationError, match=message):
        _finetune(str(files), tmp_path / "run", "{ model+: { num_softmax_batches: 6 } }")
