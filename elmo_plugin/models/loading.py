"""biLMs as the commands read them."""

from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.compat.safety.archive_files import open_archive
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.bilm import InitialState
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.pretrained import BUILT_IN, locate
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.language_model_files import SOFTMAX, LanguageModelFiles, find_files

_FORMS = (
    "a biLM's model.tar.gz, the directory that it was trained in, one that `elmo export` wrote, or "
    "a weight file beside its options"
)
BILM_HELP = f"{_FORMS}, softmax and vocabulary (default: the built-in biLM)"
LAYERS_HELP = f"{_FORMS} (default: the built-in biLM)"


def load_layers(path: str = BUILT_IN, initial_state: InitialState = "zero") -> Bilm:
    """
    A biLM that gives vectors, frozen; with or without a softmax.

    # Parameters

    path : `str`, optional (default = `"built-in"`)
        What `load_language_model` takes; or a weight file, as in `elmo_..._weights.hdf5`, beside
        its options, `elmo_..._options.json`.
    initial_state : `str`, optional (default = `"zero"`)
        "warm" for the state stored with the weights, which a model.tar.gz has not.

    # Raises

    `ConfigurationError` : another model; files that do not fit; no warm state.
    `FileNotFoundError` : no options, no weights.
    """
    files = find_files(locate(path))
    if files is not None:
        with configuration_errors():
            bilm = load_bilm(files.options, files.weights, initial_state)
        return bilm.requires_grad_(False)
    if initial_state != "zero":
        raise ConfigurationError(
            f"{path}: expected the files of a biLM, which may have a state to start from; found "
            "a trained model, which has none (see `elmo export --warm-state`)"
        )
    return load_language_model(path).bilm.eval().requires_grad_(False)


def load_language_model(path: str = BUILT_IN) -> BilmModel:
    """
    A biLM with its softmax and vocabulary.

    # Parameters

    path : `str`, optional (default = `"built-in"`)
        A model.tar.gz, the directory of a training, a directory that `elmo export` wrote, or a
        weight file with its options, softmax and vocabulary beside it.

    # Raises

    `ConfigurationError` : another model, or a biLM's files without softmax and vocabulary.
    """
    path = locate(path)
    files = find_files(path)
    if files is not None:
        return _from_files(path, files)
    with open_archive(path) as directory:
        model = Model.from_archive(directory)
    if not isinstance(model, BilmModel):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    return model


def _from_files(path: str, files: LanguageModelFiles) -> BilmModel:
    if files.softmax is None:
        raise ConfigurationError(
            f"{path}: expected {SOFTMAX} beside the weights, found none: this biLM gives vectors, "
            "but predicts no words. Training from it (pretrained_file) fits a new softmax"
        )
    vocabulary = BilmVocabulary.from_pretrained(path)
    return BilmModel(vocabulary, num_samples=None, pretrained_file=path)
