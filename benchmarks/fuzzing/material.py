"""Undamaged files of every kind, small, made with the commands that users make them with."""

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

from elmo_plugin.layers.cove import Cove
from elmo_plugin.weights.cove_file import save_cove
from fuzzing.commands import elmo
from fuzzing.kind import Refused

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
CONFIGS = ROOT / "training_configs"

SIZES: dict[str, dict[str, Any]] = {
    "snli": {"hidden": 4},
    "srl": {"hidden": 4, "layers": 2, "predicate": 3},
    "coref": {
        **{"character": 3, "character_filters": 4, "hidden": 4, "feedforward": 6, "feature": 3},
        **{"span_width": 4, "antecedents": 10},
    },
    "ner": {"character": 4, "character_filters": 6, "hidden": 4},
    "sst5": {"hidden": 4, "output": [6, 5]},
    "squad": {"character": 4, "character_filters": 5, "hidden": 4, "linear": 8},
}
"""Task models, small."""

BATCHES = 5
"""Files of the only epoch of the training."""


@TrainerCallback.register("interrupt_the_last_batch")
class InterruptTheLastBatch(TrainerCallback):
    """Interrupts the training, where it is active, as Ctrl-C does."""

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
    save_cove(Cove(16, 4), directory / "cove.th")
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
    for name, content in _TEXTS.items():
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
                **{"type": "whole_files", "save_every_num_batches": 2},
                "keep_most_recent_by_count": 4,
            },
        },
    }


def _train(directory: Path) -> None:
    """A training that was interrupted, and one that was not."""
    config = _written(directory / "training.json", _training(directory))
    with mock.patch.object(InterruptTheLastBatch, "active", True), suppress(Refused):
        elmo("train", config, "-s", directory / "interrupted")
    elmo("train", config, "-s", directory / "trained")
    shutil.copy(directory / "trained" / "model.tar.gz", directory)


def _write_files_of_bilm(directory: Path) -> None:
    heldout, exported = directory / "heldout.txt", directory / "exported"
    elmo("export", directory / "model.tar.gz", exported)
    elmo("embed", heldout, directory / "layers.hdf5", "--bilm", exported)
    elmo("index", heldout, directory / "index-files", "--bilm", exported, "--mix", "1")


def task_config(material: Path, task: str) -> dict[str, Any]:
    """The configuration with ELMo at the input, on little data."""
    paths = _task_paths(material, task)
    return json.loads(_evaluated(CONFIGS / task / "elmo.jsonnet", SIZES[task], paths))


def _evaluated(config: Path, sizes: dict[str, Any], paths: dict[str, Any]) -> str:
    import _jsonnet

    change = (
        f"{{ sizes+:: {json.dumps(sizes)}, paths+:: {json.dumps(paths)}, trainer+: "
        "{ num_epochs: 1 } }"
    )
    return _jsonnet.evaluate_snippet("material", f"(import '{config}') + {change}")


def _task_paths(material: Path, task: str) -> dict[str, Any]:
    data = {name: str(material / "data" / path) for name, path in DATA.items()}
    exported = material / "exported"
    return {
        task: {"train": data[task], "dev": data[task]},
        "vectors": {"file": str(material / "vectors.txt"), "dim": 16},
        "bilm": {
            "options_file": str(exported / "options.json"),
            "weight_file": str(exported / "weights.hdf5"),
            "dim": 8,
        },
    }


DATA = {
    "snli": "snli/dev.jsonl",
    "srl": "srl/dev",
    "coref": "coref/dev.gold_conll",
    "ner": "ner/dev.conll",
    "sst5": "sst5/dev.txt",
    "squad": "squad/dev.json",
}
"""The data of each task below `data`."""


def _written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def _head(path: Path, lines: int) -> str:
    with path.open(encoding="utf-8") as file:
        return "".join(islice(file, lines))


_WORDS = (
    *("1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_", "2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_"),
    *(
        "3\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No",
        "4\t.\t.\tPUNCT\t.\t_\t3\tp\t_\t_",
    ),
)
_SENSE = {"start": 1, "end": 2, "lemma": "play", "pos": "n", "sense": "play%1:10:01::"}
_TEXTS = {
    "words.conllu": "# sent_id = 1\n" + "\n".join(_WORDS) + "\n\n" + "\n".join(_WORDS) + "\n\n",
    "labels.txt": "DET NOUN VERB PUNCT\nDET NOUN PUNCT\n",
    "labelled.txt": "The cat sleeps .\nThe play .\n",
    "senses.jsonl": "".join(
        json.dumps({"tokens": ["the", "play", "ends"], "senses": senses}) + "\n"
        for senses in ([_SENSE], [], [{**_SENSE, "sense": "play%1:04:01::"}])
    ),
    "index.sense": "play%1:10:01:: 07007945 1 6\nplay%2:33:00:: 01072949 1 57\n",
    "table.json": json.dumps(
        {
            **{"title": "A table", "paper": "Table 2", "digits": 2, "columns": ["name", "F1"]},
            "rows": [
                {"name": "baseline", "F1": 1.5},
                {"name": "ELMo", "F1": {"mean": 2.0, "sd": 1.0, "values": [1.0, 3.0]}},
            ],
            "metadata": {"Command": "`elmo layers`", "Seeds": [1, 2]},
        }
    ),
}
