"""Training, evaluation and prediction of a biLM through AllenNLP."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from allennlp.commands.evaluate import evaluate_from_archive
from allennlp.common.plugins import import_plugins
from allennlp.models import load_archive
from allennlp.predictors import Predictor
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from elmo_plugin.common.text import read_sentences
from elmo_plugin.models.bilm import BilmModel
from tests.helpers.bilm_training import ROOT, TINY
from tests.helpers.bilm_training_runs import read_metrics, train_bilm

import_plugins()


class Trained(NamedTuple):
    directory: Path
    epochs: int
    heldout: str


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Train mini.jsonnet on less text."""
    directory = tmp_path_factory.mktemp("trained")
    heldout = directory / "heldout.txt"
    lines = (ROOT / "fixtures/lm/heldout.txt").read_text().splitlines(keepends=True)
    heldout.write_text("".join(lines[:60]))
    overrides = {
        "data_loader.batches_per_epoch": 10,
        "validation_data_path": str(heldout),
        "trainer.num_epochs": 3,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        train_bilm(directory / "run", overrides)
    return Trained(directory / "run", 3, str(heldout))


def test_perplexity_falls(trained: Trained) -> None:
    for name in ("forward_perplexity", "backward_perplexity", "perplexity"):
        for part in ("training", "validation"):
            values = [
                read_metrics(trained.directory, epoch)[f"{part}_{name}"]
                for epoch in range(trained.epochs)
            ]
            assert values == sorted(values, reverse=True)
            assert values[-1] < 0.9 * values[0]


def test_evaluation_equals_validation(trained: Trained, tmp_path: Path) -> None:
    archive = trained.directory / "model.tar.gz"
    found = evaluate_from_archive(
        archive_file=str(archive),
        input_file=trained.heldout,
        metrics_output_file=str(tmp_path / "metrics.json"),
    )
    last = read_metrics(trained.directory, trained.epochs - 1)
    for name in ("forward_perplexity", "backward_perplexity", "perplexity"):
        assert found[name] == pytest.approx(last[f"validation_{name}"], rel=1e-6)


def test_predictions_sum_to_the_validation_perplexity(trained: Trained) -> None:
    predictor = Predictor.from_path(str(trained.directory / "model.tar.gz"))
    sentences = list(read_sentences(trained.heldout))
    inputs = [{"sentence": " ".join(words)} for words in sentences]
    outputs = [predictor.predict_json(each) for each in inputs[:5]]
    for start in range(5, len(inputs), 20):
        outputs += predictor.predict_batch_json(inputs[start : start + 20])
    last = read_metrics(trained.directory, trained.epochs - 1)
    predictions = sum(len(words) + 1 for words in sentences)
    for direction in ("forward", "backward"):
        total = math.fsum(output[f"{direction}_log_likelihood"] for output in outputs)
        expected = last[f"validation_{direction}_perplexity"]
        assert math.exp(-total / predictions) == pytest.approx(expected, rel=1e-5)


def test_sentences_are_likelier_than_their_reverse(trained: Trained) -> None:
    predictor = Predictor.from_path(str(trained.directory / "model.tar.gz"))
    likelier = 0
    sentences = list(read_sentences(trained.heldout))[:20]
    for words in sentences:
        ordered, disordered = (
            predictor.predict_json({"sentence": " ".join(order)}) for order in (words, words[::-1])
        )
        likelier += ordered["forward_log_likelihood"] > disordered["forward_log_likelihood"]
    assert likelier > 15


def test_archive_has_the_vocabulary(trained: Trained) -> None:
    model = load_archive(trained.directory / "model.tar.gz").model
    assert isinstance(model, BilmModel)
    words = model.vocab.get_index_to_token_vocabulary("bilm")
    assert [words[i] for i in range(3)] == ["<S>", "</S>", "<UNK>"]
    assert model.vocab.get_token_index("never seen", "bilm") == 2
    assert model.softmax.weight.size(0) == len(words)


def test_predicts_empty_and_unknown_sentences(trained: Trained) -> None:
    predictor = Predictor.from_path(str(trained.directory / "model.tar.gz"))
    for sentence in ("", "한국어 🙂 \x07"):
        output = predictor.predict_json({"sentence": sentence})
        assert -1000 < output["forward_log_likelihood"] < 0


def test_loss_of_an_epoch_is_allennlps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train with a last group of accumulated batches that is smaller than the others."""
    losses: list[float] = []
    train_epoch = GradientDescentTrainer._train_epoch

    def record(self: GradientDescentTrainer, epoch: int) -> dict[str, float]:
        metrics = train_epoch(self, epoch)
        losses.append(metrics["loss"])
        return metrics

    monkeypatch.setattr(GradientDescentTrainer, "_train_epoch", record)
    overrides = {"data_loader.batches_per_epoch": 5, "trainer.num_gradient_accumulation_steps": 2}
    train_bilm(tmp_path / "run", {**TINY, **overrides, "trainer.num_epochs": 2})
    found = [read_metrics(tmp_path / "run", epoch)["training_loss"] for epoch in range(2)]
    assert found == pytest.approx(losses)


@pytest.mark.parametrize("num_samples", [None, 50])
def test_same_seed_gives_the_same_weights(num_samples: int | None, tmp_path: Path) -> None:
    overrides = {**TINY, "model.num_samples": num_samples, "trainer.num_epochs": 1}
    first, second = (train_bilm(tmp_path / name, overrides).state_dict() for name in ("1", "2"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = train_bilm(tmp_path / "3", {**overrides, "pytorch_seed": 1}).state_dict()
    assert not torch.equal(first["softmax.weight"], other["softmax.weight"])
    names = read_metrics(tmp_path / "1", 0).keys()
    assert ("training_perplexity" in names) == (num_samples is None)
    assert ("training_sampled_loss" in names) == (num_samples is not None)
    assert "validation_perplexity" in names
