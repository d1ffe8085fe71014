"""Trained biLMs in AllenNLP's archives."""

from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from elmo_plugin.compat.safety.archive_files import open_archive
from elmo_plugin.data.language_modeling.vocabulary import words_in_order
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.weights.language_model_files import PretrainedWeights


def load_archived_weights(path: str) -> PretrainedWeights:
    """
    Load a biLM with its softmax and vocabulary from a model.tar.gz or the folder of a training.

    # Raises

    `ConfigurationError` : a model of another type.
    """
    with open_archive(path) as directory:
        model = Model.from_archive(directory)
    bilm, softmax = getattr(model, "bilm", None), getattr(model, "softmax", None)
    if not isinstance(bilm, Bilm) or not isinstance(softmax, Softmax):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    return PretrainedWeights(path, bilm, softmax, words_in_order(model.vocab))
