"""Archives and files of untrained models."""

from __future__ import annotations

import json
from pathlib import Path

import _jsonnet
import torch
from allennlp.common import Params
from allennlp.common.meta import Meta
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.models.archival import archive_model

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.weights.language_model_files import save_language_model

CONFIGS = Path(__file__).parents[2] / "training_configs"


def archive_task(task: str, archive: Path, folder: Path) -> None:
    """Archive an untrained model of the baseline; run it in the repository's root."""
    write_task(task, "baseline", "{ sizes+:: { hidden: 8 } }", folder)
    archive_model(folder, archive_path=archive)


def write_task(task: str, name: str, overrides: str, folder: Path) -> None:
    """Write the directory of an untrained model; run it in the repository's root."""
    snippet = f"(import '{CONFIGS}/{task}/{name}.jsonnet') + {overrides}"
    config = _jsonnet.evaluate_snippet(task, snippet)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(config)
    Meta.new().to_file(folder / "meta.json")
    params = Params(json.loads(config))
    reader = DatasetReader.from_params(params["dataset_reader"])
    vocabulary = Vocabulary.from_instances(reader.read(params["train_data_path"]))
    vocabulary.save_to_files(str(folder / "vocabulary"))
    model = Model.from_params(params["model"], vocab=vocabulary)
    torch.save(model.state_dict(), folder / "best.th")


def write_bilm(text: Path, directory: Path) -> None:
    """Write the files of a small biLM with the vocabulary of a text."""
    vocabulary = BilmVocabulary.from_text(str(text))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BilmModel(
            vocabulary, filters=[(1, 4)], projection_dim=4, cell_dim=8, num_samples=None
        )
    save_language_model(model.bilm, model.softmax, words_in_order(vocabulary), directory)
