"""Trained biLMs in AllenNLP's archives."""

from typing import Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.models import Model

from elmo_plugin.compat.command import running_command
from elmo_plugin.compat.safety.archive_files import open_archive
from elmo_plugin.data.language_modeling.vocabulary import words_in_order
from elmo_plugin.layers import Bilm, Elmo, ScalarMix
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.weights.language_model_files import PretrainedWeights


def load_archived_weights(path: str) -> PretrainedWeights:
    """
    Load a biLM with its softmax and vocabulary from a model.tar.gz or the serialization directory
    of a training run.

    # Raises

    `ConfigurationError` : a model of another type.
    """
    model = _load_model(path)
    bilm, softmax = getattr(model, "bilm", None), getattr(model, "softmax", None)
    if not isinstance(bilm, Bilm) or not isinstance(softmax, Softmax):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    return PretrainedWeights(path, bilm, softmax, words_in_order(model.vocab))


def load_archived_elmo(path: str) -> tuple[Bilm, Optional[ScalarMix]]:
    """
    Load a biLM from the archive of its training, or the biLM and the first mix (equation 1) of a
    task model's ELMo.

    # Raises

    `ConfigurationError` : a model without a biLM.
    """
    model = _load_model(path)
    if isinstance(bilm := getattr(model, "bilm", None), Bilm):
        return bilm, None
    elmo = next((module for module in model.modules() if isinstance(module, Elmo)), None)
    if elmo is None or not isinstance(elmo.bilm, Bilm):
        found = "none" if elmo is None else "activations that `elmo embed` stored"
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, or one with the token embedder elmo and its "
            f"biLM, found {found} in a model of type {type(model).__name__}"
        )
    mix = elmo.scalar_mixes[0]
    assert isinstance(mix, ScalarMix)
    return elmo.bilm, mix


def _load_model(path: str) -> Model:
    # Outside of commands, nothing has registered the model's class. As in commands, plugins are not
    # read from the working directory.
    with running_command():
        import_plugins()
    with open_archive(path) as directory:
        return Model.from_archive(directory)
