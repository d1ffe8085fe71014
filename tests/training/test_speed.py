"""Trainings read ahead, fuse optimizers and use sparse gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.training.callbacks import TrainerCallback
from torch.nn.modules.module import register_module_forward_pre_hook

from elmo_plugin.layers import Bilm
from tests.helpers.interrupted_trainings import FIXTURES, ROOT, bilm, tagger

import_plugins()


@TrainerCallback.register("keep_trainer")
class KeepTrainer(TrainerCallback):
    """Keep the last trainer."""

    kept: Any = None

    def on_start(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        KeepTrainer.kept = trainer


def trainer_of(params: Params, folder: Path) -> Any:
    """Return the trainer of a training that has ended."""
    train_model(params, str(folder))
    return KeepTrainer.kept


def test_a_frozen_bilm_runs_once_for_many_batches(tmp_path: Path) -> None:
    files = {"options_file": "options.json", "weight_file": "weights.hdf5"}
    elmo = {name: str(ROOT / "fixtures" / "bilm" / file) for name, file in files.items()}
    changes = {
        "data_loader.batch_size": 1,
        "dataset_reader.token_indexers": {"elmo": {"type": "elmo_characters"}},
        "model.text_field_embedder": {"token_embedders": {"elmo": {"type": "elmo", **elmo}}},
        "model.encoder.input_size": 64,
        "trainer.type": "resumable",
        "trainer.callbacks": ["keep_trainer"],
        "trainer.num_epochs": 2,
    }
    runs = []
    hook = register_module_forward_pre_hook(
        lambda module, _: runs.append(1) if isinstance(module, Bilm) else None
    )
    with hook:
        trainer = trainer_of(tagger(FIXTURES, **changes), tmp_path / "run")
    assert 1 < len(trainer.data_loader) <= 16 and 1 < len(trainer._validation_data_loader) <= 16
    # In the first epoch, for the training data and for the development data.
    assert len(runs) == 2


def params_of_an_epoch(text: Path, **changes: Any) -> Params:
    return bilm(text, **{"trainer.num_epochs": 1, "trainer.callbacks": ["keep_trainer"], **changes})


def test_adam_updates_each_weight_in_one_pass(text: Path, tmp_path: Path) -> None:
    adam = {"trainer.optimizer": {"type": "adam", "lr": 0.01}}
    trainer = trainer_of(params_of_an_epoch(text, **adam), tmp_path / "run")
    assert [group["fused"] for group in trainer.optimizer.param_groups] == [True]


def test_adagrad_updates_the_sampled_words_alone(text: Path, tmp_path: Path) -> None:
    sampled = {"model.num_samples": 5}
    trainer = trainer_of(params_of_an_epoch(text, **sampled), tmp_path / "run")
    assert trainer.model.softmax.weight.grad.layout == torch.sparse_coo
