"""curve.jsonl against the training's metrics."""

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError

from elmo_plugin.training.curve import BilmCurve
from tests.helpers.bilm_training import BATCHES, CHECKPOINTED, ROOT, checkpointed_params


def test_curve_equals_the_metrics_of_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    changes = {"trainer.callbacks": [{"type": "bilm_curve", "every": 10}]}
    train_model(checkpointed_params(changes), str(tmp_path / "run"))
    lines = [json.loads(line) for line in (tmp_path / "run" / "curve.jsonl").open()]
    for epoch in range(2):
        metrics = json.loads((tmp_path / "run" / f"metrics_epoch_{epoch}.json").read_text())
        *parts, end = lines[epoch * (BATCHES // 10 + 1) :][: BATCHES // 10 + 1]
        mean = sum(part["training_loss"] for part in parts) / len(parts)
        unroll_steps = CHECKPOINTED["data_loader.unroll_steps"]
        assert mean * unroll_steps == pytest.approx(metrics["training_loss"], rel=1e-6)
        # Of one word and of `unroll_steps` words, the same estimate.
        assert mean == pytest.approx(metrics["training_sampled_loss"], rel=1e-6)
        assert end["validation_perplexity"] == metrics["validation_perplexity"]
        assert end["epoch"] == epoch
        batches = (epoch + 1) * BATCHES
        assert end["batch"] == parts[-1]["batch"] == batches
        assert end["words"] == batches * CHECKPOINTED["data_loader.batch_size"] * unroll_steps
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds)


class TestInterrupted:
    @pytest.fixture
    def curve(self, tmp_path: Path) -> BilmCurve:
        """Resumed from a checkpoint at batch 5, in the second epoch."""
        curve = BilmCurve(str(tmp_path))
        done = {"batch": 5, "words": 50, "epoch": 1, "seconds": 1.0}
        curve.load_state_dict({"done": done, "losses": []})
        return curve

    @pytest.mark.parametrize("cut", [b"", b'{"batch": 6, "wo', b"\xff\xfe{", b"[" * 100_000])
    def test_keeps_the_lines_before_the_checkpoint(
        self, cut: bytes, curve: BilmCurve, tmp_path: Path
    ) -> None:
        kept = b'{"batch": 4, "words": 40}\n{"batch": 5, "epoch": 0}\n'
        later = b'{"batch": 6}\n{"batch": 8, "epoch": 1}\n'
        (tmp_path / "curve.jsonl").write_bytes(kept + later + cut)
        curve.on_start(None)  # type: ignore[arg-type]
        assert (tmp_path / "curve.jsonl").read_bytes() == kept

    @pytest.mark.parametrize("line", [[], 3, None, {}, {"batch": "x"}, {"epoch": {}}, ["epoch"]])
    def test_other_lines_raise(self, line: Any, curve: BilmCurve, tmp_path: Path) -> None:
        file = tmp_path / "curve.jsonl"
        file.write_text(f'{{"batch": 4}}\n{json.dumps(line)}\n')
        before = file.read_bytes()
        with pytest.raises(ConfigurationError, match=f"{file}, line 2: expected an object with a"):
            curve.on_start(None)  # type: ignore[arg-type]
        assert file.read_bytes() == before
