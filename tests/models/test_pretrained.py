"""Training that starts from a trained biLM."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model, load_archive
from allennlp.predictors import Predictor
from allennlp.training.callbacks import TrainerCallback

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.pretrained import load_pretrained_bilm
from elmo_plugin.weights.language_model_files import save_language_model
from tests.helpers.bilm_training import ROOT, TINY

# None of them a default of the model's or of a configuration's.
ODD = {
    **TINY,
    "dataset_reader.max_characters": 20,
    "model.max_characters": 20,
    "model.num_highways": 3,
    "model.activation": "tanh",
    "model.cell_clip": None,
    "model.projection_clip": 2.0,
    "model.residual": False,
    "trainer.num_epochs": 1,
}
Weights = dict[str, torch.Tensor]


@TrainerCallback.register("keep_the_first_weights")
class KeepTheFirstWeights(TrainerCallback):
    weights: dict[int, Weights] = {}  # noqa: RUF012

    def on_start(self, trainer: Any, **kwargs: Any) -> None:
        self.weights[0] = _copy(trainer.model)

    def on_batch(self, trainer: Any, *args: Any, is_training: bool, **kwargs: Any) -> None:
        if is_training:
            self.weights[len(self.weights)] = _copy(trainer.model)


def _copy(model: Model) -> Weights:
    return {name: weight.clone() for name, weight in model.named_parameters()}


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    KeepTheFirstWeights.weights.clear()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of a training; `files` and `published` hold its export by our and other names."""
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


PUBLISHED = {
    "options.json": "elmo_2x32_16_options.json",
    "weights.hdf5": "elmo_2x32_16_weights.hdf5",
    "softmax.hdf5": "elmo_2x32_16_softmax_weights.hdf5",
    "vocabulary.txt": "vocab-2016-09-10.txt",
}
FORMS = ("", "model.tar.gz", "files", "files/weights.hdf5", "published/elmo_2x32_16_weights.hdf5")


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
    first, expected = KeepTheFirstWeights.weights[0], _copy(original)
    assert first.keys() == expected.keys()
    assert all(torch.equal(first[name], expected[name]) for name in expected)
    last = KeepTheFirstWeights.weights[6]
    assert not any(torch.equal(first[name], last[name]) for name in first)
    assert sorted(trained.iterdir()) == files


def test_starting_from_the_built_in_bilm() -> None:
    model = BilmModel(BilmVocabulary.from_pretrained("built-in"), pretrained_file="built-in")
    built_in = load_pretrained_bilm()
    assert model.bilm.config == built_in.config
    for name, weight in built_in.state_dict().items():
        assert torch.equal(model.bilm.state_dict()[name], weight)


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


def test_fine_tuning_is_resumed(trained: Path, tmp_path: Path) -> None:
    model = _finetune(str(trained / "files"), tmp_path / "run")
    resumed = _finetune(str(trained / "files"), tmp_path / "run", recover=True)
    assert all(torch.equal(model.state_dict()[k], v) for k, v in resumed.state_dict().items())


def test_small_vocabulary_trains_with_the_full_softmax(trained: Path, tmp_path: Path) -> None:
    config = json.loads(_jsonnet.evaluate_file("training_configs/bilm/finetune.jsonnet"))
    model = _finetune(str(trained / "files"), tmp_path / "run")
    assert config["model"]["num_samples"] > len(model.softmax.bias)
    # Of the full softmax, in training too.
    assert "training_perplexity" in json.loads((tmp_path / "run/metrics_epoch_0.json").read_text())


@pytest.mark.parametrize("start", ["a folder", "a weight file"])
def test_new_softmax_is_trained_first(start: str, trained: Path, tmp_path: Path) -> None:
    files = tmp_path / "start"
    shutil.copytree(trained / "files", files)
    (files / "softmax.hdf5").unlink()
    (files / "vocabulary.txt").unlink()
    path = str(files if start == "a folder" else files / "weights.hdf5")
    vocabulary = "{ vocabulary: { type: 'bilm_text', path: 'fixtures/lm/heldout.txt' }"
    _finetune(path, tmp_path / "run", vocabulary + ", model+: { num_softmax_batches: 4 } }")
    assert "for the first 4 batches only a new one" in (tmp_path / "run" / "out.log").read_text()
    kept = KeepTheFirstWeights.weights
    for name in kept[0]:
        changed = [not torch.equal(kept[i][name], kept[i + 1][name]) for i in range(6)]
        assert changed == ([True] * 6 if name.startswith("softmax") else [False] * 4 + [True] * 2)


def _start(path: Path, vocab: Vocabulary, **sizes: Any) -> BilmModel:
    return BilmModel(vocab, pretrained_file=str(path), **sizes)


class TestWhatDoesNotFit:
    def test_words(self, trained: Path) -> None:
        vocab = BilmVocabulary.from_text(str(ROOT / "fixtures" / "lm" / "heldout.txt"))
        for form in FORMS:
            with pytest.raises(ConfigurationError, match=r"the first difference is at \d+: "):
                _start(trained / form, vocab)

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
