"""A small biLM as AllenNLP stores trained models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from allennlp.models.archival import archive_model

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader  # noqa: F401  (registers its name)
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.models.bilm import BilmModel

SIZES: dict[str, Any] = {
    "filters": [[1, 4], [2, 4]],
    "character_dim": 4,
    "projection_dim": 4,
    "cell_dim": 8,
    "num_samples": None,
}
CONFIG: dict[str, Any] = {
    "dataset_reader": {"type": "bilm_text"},
    "vocabulary": {"type": "bilm_text"},
    "model": {"type": "bilm", **SIZES},
    "data_loader": {"batch_size": 2},
}
TEXT = "Mara slept in Oslo .\nOslo slept .\n"


def write_training(directory: Path, config: dict[str, Any] = CONFIG) -> Path:
    """Write the serialization directory of a small biLM with this configuration."""
    directory.mkdir(parents=True)
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "text.txt").write_text(TEXT)
    vocabulary = BilmVocabulary.from_text(str(directory / "text.txt"))
    vocabulary.save_to_files(str(directory / "vocabulary"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BilmModel(vocabulary, **SIZES)
    torch.save(model.state_dict(), directory / "best.th")
    return directory


def write_archive(directory: Path, config: dict[str, Any] = CONFIG) -> Path:
    """Write the directory's model.tar.gz."""
    return Path(archive_model(write_training(directory, config)))
