"""A biLM of Korean, whose characters are three bytes each."""

import json
from pathlib import Path

import pytest
import torch
from allennlp.common import Params
from allennlp.modules import TokenEmbedder

from elmo_plugin.layers import batch_to_ids
from tests.helpers.bilm_training import ROOT, TINY
from tests.helpers.command_line import elmo

KOREAN = ROOT / "fixtures" / "lm" / "korean.txt"


def test_korean_from_text_to_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    config = tmp_path / "korean.jsonnet"
    config.write_text(
        f"(import '{ROOT}/training_configs/bilm/mini.jsonnet') "
        f"{{ paths+:: {{ lm: {{ train: '{KOREAN}', heldout: '{KOREAN}' }} }} }}"
    )
    changes = {**TINY, "trainer.num_epochs": 3, "vocabulary.min_count": 1}
    elmo(monkeypatch, "train", config, "-s", tmp_path / "run", "-o", json.dumps(changes))
    epochs = [
        json.loads((tmp_path / "run" / f"metrics_epoch_{i}.json").read_text()) for i in (0, 2)
    ]
    assert epochs[1]["validation_perplexity"] < epochs[0]["validation_perplexity"]

    elmo(monkeypatch, "export", tmp_path / "run", tmp_path / "files")
    words = (tmp_path / "files" / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    assert set(words[3:]) == set(KOREAN.read_text(encoding="utf-8").split())

    files = {key: str(tmp_path / "files" / key) for key in ("options.json", "weights.hdf5")}
    embedder = TokenEmbedder.from_params(
        Params(
            {
                "type": "elmo",
                "options_file": files["options.json"],
                "weight_file": files["weights.hdf5"],
            }
        )
    ).eval()
    # One word before another, in either order, and a word that was never seen.
    sentences = [["비가", "온다"], ["온다", "비가"], ["비가", "온닭"]]
    vectors = embedder(batch_to_ids(sentences))
    assert vectors.shape == (3, 2, 2 * TINY["model.projection_dim"])
    assert not torch.allclose(vectors[0, 0], vectors[1, 1])
    assert not torch.allclose(vectors[0, 1], vectors[2, 1])
