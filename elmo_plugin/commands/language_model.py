"""biLMs as the commands read them."""

from dataclasses import asdict
from pathlib import Path

from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from elmo_plugin.configuration_errors import configuration_errors
from elmo_plugin.data.vocabulary import BilmVocabulary
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.pretrained import BUILT_IN, locate
from elmo_plugin.weights.language_model_files import OPTIONS, SOFTMAX
from elmo_plugin.weights.options import read_options

BILM_HELP = (
    "a biLM's model.tar.gz, the directory that it was trained in, or one that `elmo export` wrote "
    "(default: the built-in biLM)"
)


def load_language_model(path: str = BUILT_IN) -> BilmModel:
    """
    A biLM with its softmax and vocabulary.

    # Parameters

    path : `str`, optional (default = `"built-in"`)
        A model.tar.gz, the directory of a training, or a directory that `elmo export` wrote.

    # Raises

    `ConfigurationError` : another model, or a biLM's files without softmax and vocabulary.
    """
    path = locate(path)
    if Path(path, OPTIONS).is_file():
        return _from_files(path)
    model = Model.from_archive(path)
    if not isinstance(model, BilmModel):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    return model


def _from_files(path: str) -> BilmModel:
    if not Path(path, SOFTMAX).is_file():
        raise ConfigurationError(
            f"{path}: expected {SOFTMAX} beside the weights, found none: this biLM gives vectors, "
            "but predicts no words. Training from it (pretrained_file) fits a new softmax"
        )
    with configuration_errors():
        config = read_options(Path(path, OPTIONS))
    vocabulary = BilmVocabulary.from_pretrained(path)
    return BilmModel(vocabulary, **asdict(config), num_samples=None, pretrained_file=path)
