"""Going on with a trained biLM: the same model, and a new softmax where there is none."""

from __future__ import annotations

import json
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
from allennlp.training.callbacks import TrainerCallback

from elmo_plugin.data.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.weights.language_model_files import save_language_model
from tests.models.test_bilm_training import ROOT, TINY

SIZES = {key.split(".")[1]: value for key, value in TINY.items() if key.startswith("model.")}
SIZES |= {"num_highways": 1}
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
    """The directory of a training, with its export in `files`."""
    directory = tmp_path_factory.mktemp("trained") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
        params = Params.from_file(config, json.dumps({**TINY, "trainer.num_epochs": 1}))
        model = train_model(params, str(directory))
    words = words_in_order(model.vocab)
    save_language_model(model.bilm, model.softmax, words, directory / "files")
    return directory


def _finetune(start: str, directory: Path, changes: str = "", **overrides: Any) -> BilmModel:
    snippet = f"""(import 'finetune.jsonnet') {{
        start:: '{start}',
        model+: {json.dumps(SIZES)} + {{ num_samples: null, precision: 'float32' }},
        data_loader+: {{ batch_size: 4, unroll: 10, batches_per_epoch: 6 }},
        trainer+: {{ callbacks: [{{ type: 'keep_the_first_weights' }}] }},
    }} {changes}"""
    path = ROOT / "training_configs" / "bilm" / "test.jsonnet"
    config = json.loads(_jsonnet.evaluate_snippet(str(path), snippet))
    model = train_model(Params(config), str(directory))
    assert isinstance(model, BilmModel)
    return model


@pytest.mark.parametrize("form", ["", "model.tar.gz", "files"])
def test_starts_from_the_trained_weights(form: str, trained: Path, tmp_path: Path) -> None:
    _finetune(str(trained / form), tmp_path / "run")
    expected = _copy(load_archive(trained).model)
    first = KeepTheFirstWeights.weights[0]
    assert all(torch.equal(first[name], expected[name]) for name in expected)
    last = KeepTheFirstWeights.weights[6]
    assert not any(torch.equal(first[name], last[name]) for name in first)


def test_the_result_does_without_what_it_came_from(trained: Path, tmp_path: Path) -> None:
    copied = tmp_path / "start"
    shutil.copytree(trained / "files", copied)
    model = _finetune(str(copied), tmp_path / "run")
    shutil.rmtree(copied)
    loaded = load_archive(tmp_path / "run" / "model.tar.gz").model
    assert all(torch.equal(loaded.state_dict()[k], v) for k, v in model.state_dict().items())


@pytest.mark.parametrize("start", ["a folder", "a weight file"])
def test_a_new_softmax_is_fitted_first(start: str, trained: Path, tmp_path: Path) -> None:
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
    options = {**SIZES, "num_samples": None, **sizes}
    return BilmModel(vocab, **options, pretrained_file=str(path))


class TestWhatDoesNotFit:
    def test_words(self, trained: Path) -> None:
        vocab = BilmVocabulary.from_text(str(ROOT / "fixtures" / "lm" / "heldout.txt"))
        for path in (trained, trained / "files"):
            with pytest.raises(ConfigurationError, match=r"the first difference is at \d+: "):
                _start(path, vocab)

    def test_sizes(self, trained: Path) -> None:
        vocab = BilmVocabulary.from_pretrained(str(trained))
        with pytest.raises(ConfigurationError, match=r"Cell0/LSTMCell/B: expected shape \(160,\)"):
            _start(trained / "files", vocab, cell_dim=40)
        with pytest.raises(ConfigurationError, match=r"expected BilmConfig.*cell_dim=40.*found"):
            _start(trained, vocab, cell_dim=40)

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
            (b"a\nb\nc\n", "expected <S>, </S>, <UNK> in the first lines, found a, b, c"),
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
