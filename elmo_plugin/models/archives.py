"""Trained biLMs in AllenNLP's archives."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Union

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.meta import Meta
from allennlp.models import Model
from allennlp.models.archival import CONFIG_NAME, archive_model

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary, words_in_order
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.weights.language_model_files import PretrainedWeights


def load_archived_weights(path: str) -> PretrainedWeights:
    """
    Load a biLM with its softmax and vocabulary from a model.tar.gz or the folder of a training.

    # Raises

    `ConfigurationError` : a model of another type.
    """
    model = Model.from_archive(path)
    bilm, softmax = getattr(model, "bilm", None), getattr(model, "softmax", None)
    if not isinstance(bilm, Bilm) or not isinstance(softmax, Softmax):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    return PretrainedWeights(path, bilm, softmax, words_in_order(model.vocab))


def save_archive(model: LanguageModel, words: list[str], path: Union[str, Path]) -> None:
    """
    Write a model.tar.gz, as `allennlp train` does.

    # Parameters

    model : `LanguageModel`
    words : `List[str]`
        The word of each row of its softmax.
    path : `str` or `Path`
    """
    with TemporaryDirectory() as directory, atomic_write(path) as archive:
        _write_serialization_dir(model, words, Path(directory))
        archive_model(directory, archive_path=archive)


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
