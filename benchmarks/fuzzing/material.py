"""Small undamaged files of every kind, made with the commands of `elmo`."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from allennlp.training import GradientDescentTrainer, TrainerCallback

from elmo_plugin.embedding.parts import PartStore
from fuzzing.commands import elmo
from fuzzing.kind import Refused
from fuzzing.material_texts import TEXTS
from fuzzing.task_configs import ROOT, SIZES, task_config

FIXTURES = ROOT / "fixtures"

BATCHES = 5
"""Batches of the only epoch of the training."""


@TrainerCallback.register("interrupt_the_last_batch")
class InterruptTheLastBatch(TrainerCallback):
    """Interrupts the training as Ctrl-C does, if `active`."""

    active = False

    def on_batch(
        self,
        trainer: GradientDescentTrainer,
        batch_inputs: Any,
        batch_outputs: Any,
        batch_metrics: Any,
        epoch: int,
        batch_number: int,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if self.active and batch_number == BATCHES:
            raise KeyboardInterrupt


def make_material(directory: Path) -> None:
    """Fills a directory."""
    _write_text(directory)
    _write_data_of_tasks(directory)
    torch.manual_seed(0)
    cove = torch.nn.LSTM(16, 4, num_layers=2, bidirectional=True)
    torch.save(cove.state_dict(), directory / "cove.th")
    _train(directory)
    _write_files_of_bilm(directory)
    for task in SIZES:
        config = _written(directory / f"{task}.json", task_config(directory, task))
        elmo("train", config, "-s", directory / task)
        shutil.copy(directory / task / "model.tar.gz", directory / f"{task}.tar.gz")


def _write_text(directory: Path) -> None:
    (directory / "train.txt").write_text(_head(FIXTURES / "lm" / "train.txt", 60))
    (directory / "heldout.txt").write_text(_head(FIXTURES / "lm" / "heldout.txt", 4))
    (directory / "vectors.txt").write_text(_head(FIXTURES / "vectors" / "vectors.16d.txt", 40))
    for name, content in TEXTS.items():
        (directory / name).write_text(content)


def _write_data_of_tasks(directory: Path) -> None:
    data = directory / "data"
    for folder in ("snli", "srl/dev", "coref", "ner", "sst5", "squad"):
        (data / folder).mkdir(parents=True)
    for name, lines in (
        *(("snli/dev.jsonl", 6), ("srl/dev/story.gold_conll", 45), ("ner/dev.conll", 60)),
        *(("sst5/dev.txt", 6), ("coref/dev.gold_conll", 45)),
    ):
        (data / name).write_text(_head(FIXTURES / name, lines))
    (data / "coref" / "dev.gold_conll").write_text(_first_document(FIXTURES / "coref"))
    squad = json.loads((FIXTURES / "squad" / "dev.json").read_text())
    squad["data"] = squad["data"][:1]
    squad["data"][0]["paragraphs"] = squad["data"][0]["paragraphs"][:1]
    (data / "squad" / "dev.json").write_text(json.dumps(squad))


def _first_document(folder: Path) -> str:
    text = (folder / "dev.gold_conll").read_text()
    return text[: text.index("#end document")] + "#end document\n"


def _training(directory: Path) -> dict[str, Any]:
    text = {part: str(directory / f"{part}.txt") for part in ("train", "heldout")}
    return {
        "dataset_reader": {"type": "bilm_text"},
        "vocabulary": {"type": "bilm_text", "path": text["train"], "min_count": 2},
        "train_data_path": text["train"],
        "validation_data_path": text["heldout"],
        "model": {
            **{"type": "bilm", "filters": [[1, 4], [2, 4]], "character_dim": 4, "num_highways": 1},
            **{"projection_dim": 4, "cell_dim": 8, "num_samples": 16},
        },
        "data_loader": {
            **{"type": "bilm_streams", "batch_size": 4, "unroll_steps": 5, "prefetch": 0},
            "batches_per_epoch": BATCHES,
        },
        "validation_data_loader": {"batch_size": 2},
        "trainer": {
            **{"type": "bilm", "num_epochs": 1, "optimizer": {"type": "adagrad", "lr": 0.1}},
            "validation_metric": "-perplexity",
            "callbacks": [{"type": "bilm_curve", "every": 1}, {"type": "interrupt_the_last_batch"}],
            "checkpointer": {
                **{"type": "atomic", "save_every_num_batches": 2},
                "keep_most_recent_by_count": 4,
            },
        },
    }


def _train(directory: Path) -> None:
    """Write the directories of an interrupted and of a finished training run."""
    config = _written(directory / "training.json", _training(directory))
    with mock.patch.object(InterruptTheLastBatch, "active", True), suppress(Refused):
        elmo("train", config, "-s", directory / "interrupted")
    elmo("train", config, "-s", directory / "trained")
    shutil.copy(directory / "trained" / "model.tar.gz", directory)


def _write_files_of_bilm(directory: Path) -> None:
    heldout, exported = directory / "heldout.txt", directory / "exported"
    elmo("export", directory / "model.tar.gz", exported)
    elmo("embed", heldout, directory / "layers.hdf5", "--bilm", exported)
    for out, *options in (
        ("allennlp.hdf5", "--format", "allennlp"),
        ("layers.parquet",),
        ("pooled.npy", "--pooling", "mean"),
    ):
        elmo("embed", heldout, directory / out, "--bilm", exported, *options)
    # As the only part is read to look for it, and again to write the result.
    read = mock.patch.object(PartStore, "read", side_effect=[FileNotFoundError, KeyboardInterrupt])
    with read, suppress(Refused, KeyboardInterrupt):
        elmo("embed", heldout, directory / "rest.hdf5", "--bilm", exported, "--workers", 1)
    elmo("index", heldout, directory / "index-files", "--bilm", exported, "--layers", "1")


def _written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def _head(path: Path, lines: int) -> str:
    with path.open(encoding="utf-8") as file:
        return "".join(islice(file, lines))
