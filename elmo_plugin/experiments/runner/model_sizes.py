"""A baseline with as many trained parameters as the model with ELMo."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Optional

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from elmo_plugin.common.configuration_objects import iter_dicts
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    evaluate_configuration,
    read_configuration,
)
from elmo_plugin.experiments.runner.training import num_trainable_parameters, read_part

MAX_HIDDEN_SIZE = 4096


@cache
def hidden_size_matching_elmo(baseline: str, elmo: str, overrides: str) -> int:
    """
    Find the smallest `sizes.hidden` with which a baseline has at least as many trainable parameters
    as the model with ELMo.

    # Parameters

    baseline, elmo : `str`
        Configurations with the hidden field `sizes`.
    overrides : `str`
        Jsonnet that extends both.

    # Raises

    `ConfigurationError` : there is no such field, or no such size.
    """
    hidden = "std.get(std.get(config, 'sizes', {}), 'hidden', null)"
    size = evaluate_configuration(baseline, overrides, hidden)
    if not isinstance(size, int):
        raise ConfigurationError(f"{baseline}: sizes.hidden: expected an integer, found {size!r}")
    config = read_configuration(baseline, overrides)
    vocabulary = Vocabulary.from_params(
        Params(deepcopy(config.get("vocabulary", {}))), instances=read_part(config, "train")
    )
    wanted = trainable_parameters(read_configuration(elmo, overrides), vocabulary)

    def is_enough(hidden: int) -> bool:
        wider = f"({overrides}) + {{ sizes+:: {{ hidden: {hidden} }} }}"
        return trainable_parameters(read_configuration(baseline, wider), vocabulary) >= wanted

    found = smallest_hidden_size(is_enough, size)
    if found is None:
        raise ConfigurationError(
            f"{baseline}: sizes.hidden: expected one of at most {MAX_HIDDEN_SIZE} with at least "
            f"{wanted:,} trainable parameters, found none"
        )
    return found


def smallest_hidden_size(is_enough: Callable[[int], bool], low: int) -> Optional[int]:
    """Return the smallest size from `low` to `MAX_HIDDEN_SIZE` that is enough, or `None`."""
    high = low
    while not is_enough(high):
        if high >= MAX_HIDDEN_SIZE:
            return None
        low, high = high + 1, min(2 * high, MAX_HIDDEN_SIZE)
    return low + bisect_left(range(low, high), True, key=is_enough)


def trainable_parameters(config: Configuration, vocabulary: Vocabulary) -> int:
    """Return the number of trainable parameters of a configuration's model."""
    model = deepcopy(config["model"])
    for item in iter_dicts(model):
        item.pop("pretrained_file", None)  # vectors, which take long to read
    built = Model.from_params(Params(model), vocab=vocabulary)
    return num_trainable_parameters(built)
