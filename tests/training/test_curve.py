"""What curve.jsonl says is what the training's own metrics say."""

import json
from pathlib import Path

import pytest
from allennlp.commands.train import train_model

from tests.models.test_bilm_training import ROOT
from tests.training.test_resume import BATCHES, SHORT, params_of


def test_losses_and_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    changes = {"trainer.callbacks": [{"type": "bilm_curve", "every": 10}]}
    train_model(params_of(changes), str(tmp_path / "run"))
    lines = [json.loads(line) for line in (tmp_path / "run" / "curve.jsonl").open()]
    for epoch in range(2):
        metrics = json.loads((tmp_path / "run" / f"metrics_epoch_{epoch}.json").read_text())
        *parts, end = lines[epoch * (BATCHES // 10 + 1) :][: BATCHES // 10 + 1]
        mean = sum(part["training_loss"] for part in parts) / len(parts)
        unroll = SHORT["data_loader.unroll"]
        assert mean * unroll == pytest.approx(metrics["training_loss"], rel=1e-6)
        # Of one word and of `unroll` words, the same estimate.
        assert mean == pytest.approx(metrics["training_sampled_loss"], rel=1e-6)
        assert end["validation_perplexity"] == metrics["validation_perplexity"]
        assert end["epoch"] == epoch
        batches = (epoch + 1) * BATCHES
        assert end["batch"] == parts[-1]["batch"] == batches
        assert end["words"] == batches * SHORT["data_loader.batch_size"] * unroll
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds)
