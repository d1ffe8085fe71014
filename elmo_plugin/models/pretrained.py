"""Starting a biLM's training from a trained one: its weights, sizes and words."""

import logging
from dataclasses import asdict, replace
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from elmo_plugin.common.downloads import local_path
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.compat.configuration_hooks import completes_configuration
from elmo_plugin.data.language_modeling.vocabulary import words_in_order
from elmo_plugin.layers import BilmConfig
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.models.loading import load_pretrained_weights
from elmo_plugin.weights.language_model_files import PretrainedWeights
from elmo_plugin.weights.options import read_options
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve

logger = logging.getLogger(__name__)


def read_pretrained(
    path: Optional[str], stated: dict[str, Any], vocab: Vocabulary
) -> Optional[PretrainedWeights]:
    """
    Load the weights that a training run starts from; None for no path.

    # Parameters

    path : `str` or `None`
        See `resolve`.
    stated : `Dict[str, Any]`
        Sizes that it must have, by their names in `BilmConfig`; any number of them.
    vocab : `Vocabulary`
        Must be the softmax's own, where there is one.

    # Raises

    `ValueError` : names the file, and what does not fit.
    """
    if path is None:
        return None
    pretrained = load_pretrained_weights(path)
    _check_sizes(path, pretrained.bilm.config, stated)
    if pretrained.words is not None:
        _check_words(path, pretrained.words, words_in_order(vocab))
    return pretrained


def copy_pretrained(
    weights: PretrainedWeights, model: LanguageModel, num_softmax_batches: int
) -> bool:
    """
    Copy pretrained weights into a model, without the warm state, which training makes invalid.

    # Returns

    `bool` : False where there is no softmax, and a new one is to be trained for
    `num_softmax_batches`.

    # Raises

    `ConfigurationError` : a negative number of batches.
    """
    if num_softmax_batches < 0:
        raise ConfigurationError(
            f"num_softmax_batches: expected at least 0, got {num_softmax_batches}"
        )
    model.bilm.load_state_dict(weights.bilm.state_dict())
    for state in (model.bilm.warm_hidden, model.bilm.warm_cell):
        state.zero_()
    if weights.softmax is not None:
        model.softmax.load_state_dict(weights.softmax.state_dict())
        return True
    logger.warning(
        "%s has no softmax: for the first %d batches only a new one of %d words is trained",
        weights.path,
        num_softmax_batches,
        len(model.softmax.bias),
    )
    return False


@completes_configuration
def record_pretrained_sizes(configuration: dict[str, Any]) -> None:
    """
    Add the sizes of the biLM that a training run starts from to the training's configuration, where
    they are not stated: its archive must not need the files that they came from.
    """
    model = configuration.get("model")
    if not isinstance(model, dict) or model.get("type") != "bilm":
        return
    if not isinstance(model.get("pretrained_file"), str):
        return
    with configuration_errors():
        config = asdict(_read_config(model["pretrained_file"]))
    for name, size in config.items():
        # As JSON has it, so that a resumed training's is found equal.
        model.setdefault(name, [list(pair) for pair in size] if name == "filters" else size)
    for key in ("dataset_reader", "validation_dataset_reader"):
        reader = configuration.get(key)
        if isinstance(reader, dict) and reader.get("type") == "bilm_text":
            reader.setdefault("max_characters", config["max_characters"])


def _read_config(path: str) -> BilmConfig:
    source = resolve(path)
    if isinstance(source, LanguageModelFiles):
        return read_options(local_path(source.options))
    return load_pretrained_weights(path).bilm.config


def _check_sizes(path: str, found: BilmConfig, stated: dict[str, Any]) -> None:
    asked = replace(found, **stated)
    wrong = [
        f"{name} {getattr(found, name)!r}, got {getattr(asked, name)!r}"
        for name in stated
        if getattr(asked, name) != getattr(found, name)
    ]
    if wrong:
        raise ValueError(
            f"{path}: expected this biLM's sizes, {'; '.join(wrong)}. "
            "Sizes that the configuration leaves out are taken from this biLM"
        )


def _check_words(path: str, found: list[str], expected: list[str]) -> None:
    if found == expected:
        return
    pairs = zip([*found, None], [*expected, None])
    row, (theirs, ours) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
    raise ValueError(
        f"{path}: the softmax predicts these {len(found)} words, the model's vocabulary has "
        f"{len(expected)}; the first difference is at {row}: {theirs!r} and {ours!r}. "
        "Take the vocabulary of type bilm_pretrained, from the same path"
    )
