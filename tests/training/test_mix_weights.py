"""
The callback `mix_weights` in a training run that is killed between an epoch and its checkpoint.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins

from elmo_plugin.training.mix_weights import FILE, MixWeights
from tests.helpers.interrupted_trainings import ROOT, InterruptSecondEpoch

import_plugins()


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(ROOT)  # where the configurations' paths begin
    bilm = {name: f"fixtures/bilm/{name}" for name in ("options.json", "weights.hdf5")}
    paths = {"options_file": bilm["options.json"], "weight_file": bilm["weights.hdf5"], "dim": 64}
    callbacks = ["mix_weights", "interrupt_second_epoch"]
    trainer = {"num_epochs": 3, "optimizer": {"lr": 0.1}, "callbacks": callbacks}
    file = tmp_path / "tagger.jsonnet"
    file.write_text(
        f"(import '{ROOT}/training_configs/ner/elmo.jsonnet') {{ sizes+:: {{ hidden: 4 }}, "
        f"paths+:: {{ bilm: {json.dumps(paths)} }}, trainer+: {json.dumps(trainer)} }}"
    )
    return file


def epochs(folder: Path) -> list[int]:
    return [json.loads(line)["epochs"] for line in (folder / FILE).read_text().splitlines()]


def test_resumed_training_writes_each_epoch_once(config: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_model(Params.from_file(config), str(whole))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptSecondEpoch, "active", True)
        train_model(Params.from_file(config), str(killed))
    assert epochs(killed) == [0, 1, 2]
    assert not list(killed.glob("*_state_e2_*"))

    train_model(Params.from_file(config), str(killed), recover=True)
    assert epochs(whole) == [0, 1, 2, 3]
    assert (killed / FILE).read_bytes() == (whole / FILE).read_bytes()


def test_other_processes_write_nothing(tmp_path: Path) -> None:
    callback = MixWeights(str(tmp_path))
    callback.on_start(None, is_primary=False)  # type: ignore[arg-type]
    callback.on_epoch(None, {}, 0, is_primary=False)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
