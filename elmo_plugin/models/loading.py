"""Loads trained biLMs from whatever a path holds. AllenNLP is imported for its archives only."""

from __future__ import annotations

from elmo_plugin.common.downloads import local_path
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import Bilm, ScalarMix
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.language_model_files import PretrainedWeights, load_language_model_files
from elmo_plugin.weights.resolve import BUILT_IN, SOFTMAX, LanguageModelFiles, resolve


def load_bilm_from(path: str = BUILT_IN, initial_state: InitialState = "zero") -> Bilm:
    """
    Load a frozen biLM, with or without a softmax.

    # Parameters

    path : `str`, optional (default = `"built-in"`)
        See `resolve`; or a task model with ELMo.
    initial_state : `str`, optional (default = `"zero"`)
        "warm" for the state stored with the weights, which a trained biLM does not have. A task
        model's biLM starts from the state that its configuration names, and has no other.

    # Raises

    `ConfigurationError` : files that do not fit; no warm state; an archive of another model, or of
    one whose biLM carries its state from batch to batch.
    `ValueError` : the same, where AllenNLP has not been imported.
    `FileNotFoundError` : no options, no weights.
    """
    bilm, _ = load_elmo_from(path, initial_state)
    return bilm


@configuration_errors()
def load_elmo_from(
    path: str = BUILT_IN, initial_state: InitialState = "zero"
) -> tuple[Bilm, ScalarMix | None]:
    """
    Load a frozen biLM; from the archive of a task model, with the mix (equation 1) that the task
    has learned. Parameters and errors are those of `load_bilm_from`.
    """
    source = resolve(path)
    mix = None
    if isinstance(source, LanguageModelFiles):
        bilm = load_bilm(local_path(source.options), local_path(source.weights), initial_state)
    else:
        from elmo_plugin.models.archives import load_archived_elmo

        bilm, mix = load_archived_elmo(source.path)
        if bilm.initial_state == "carried":
            raise ValueError(
                f"{path}: expected a biLM that starts each sentence from the same state, found "
                'initial_state "carried", with which vectors depend on the sentences before'
            )
        if initial_state not in ("zero", bilm.initial_state):
            raise ValueError(
                f"{path}: expected the files of a biLM, which may have a state to start from; "
                f'found a trained model with initial_state "{bilm.initial_state}" (see '
                "`elmo export --warm-state`)"
            )
    return bilm.eval().requires_grad_(False), mix


@configuration_errors()
def load_language_model(path: str = BUILT_IN) -> tuple[LanguageModel, list[str]]:
    """
    Load a biLM with its softmax, and the words that it predicts.

    # Parameters

    path : `str`, optional (default = `"built-in"`)
        See `resolve`.

    # Returns

    model : `LanguageModel`
        In evaluation mode.
    words : `List[str]`
        The word of each row of the softmax.

    # Raises

    `ConfigurationError` : files that do not fit; a biLM without a softmax; an archive of another
    model.
    `ValueError` : the same, where AllenNLP has not been imported.
    `FileNotFoundError` : no options, no weights.
    """
    weights = load_pretrained_weights(path)
    if weights.softmax is None or weights.words is None:
        raise ValueError(
            f"{path}: expected {SOFTMAX} beside the weights, found none: this biLM gives vectors, "
            "but predicts no words. Training from it (pretrained_file) fits a new softmax"
        )
    return LanguageModel(weights.bilm, weights.softmax).eval(), weights.words


def load_pretrained_weights(path: str) -> PretrainedWeights:
    """Load all that a path holds of a language model; raises as `load_language_model` does."""
    source = resolve(path)
    if isinstance(source, LanguageModelFiles):
        return load_language_model_files(source)
    from elmo_plugin.models.archives import load_archived_weights

    return load_archived_weights(source.path)
