"""Writing a trained biLM as an AllenNLP archive."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Union

import torch
from allennlp.common import Params
from allennlp.common.meta import Meta
from allennlp.models.archival import CONFIG_NAME, archive_model

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.models.bilm import BilmModel


def save_archive(model: LanguageModel, words: list[str], path: Union[str, Path]) -> None:
    """
    Write a model.tar.gz, as `allennlp train` does.

    # Parameters

    model : `LanguageModel`
    words : `List[str]`
        The word of each row of its softmax.
    path : `str` or `Path`
    """
    with TemporaryDirectory() as directory:
        _write_serialization_dir(model, words, Path(directory))
        archive_model(directory, archive_path=path)


def _write_serialization_dir(model: LanguageModel, words: list[str], directory: Path) -> None:
    sizes = asdict(model.bilm.config)
    config = {
        "dataset_reader": {"type": "bilm_text", "max_characters": model.bilm.config.max_characters},
        "vocabulary": {"type": "bilm_text"},
        "model": {"type": "bilm", "num_samples": None, **sizes},
        "data_loader": {"batch_size": 64},
    }
    Params(json.loads(json.dumps(config))).to_file(str(directory / CONFIG_NAME))
    Meta.new().to_file(directory / "meta.json")
    vocabulary = BilmVocabulary.from_words(words)
    vocabulary.save_to_files(str(directory / "vocabulary"))
    archived = BilmModel(vocabulary, num_samples=None, **sizes)
    torch.save({**archived.state_dict(), **model.state_dict()}, directory / "best.th")
