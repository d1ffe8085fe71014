"""Changes that experiments make to configurations."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.configuration_objects import ELMO_EMBEDDERS, elmo_embedders
from elmo_plugin.experiments.runner.configurations import Configuration

_MIX_WEIGHTS = "scalar_parameters"


def with_seed(config: Configuration, seed: int) -> Configuration:
    """Set the seeds of Python, NumPy and PyTorch."""
    return {**config, "random_seed": seed, "numpy_seed": seed, "pytorch_seed": seed}


def with_fraction(config: Configuration, fraction: float, seed: int) -> Configuration:
    """Train on a random fraction of the instances. Validation data stay whole."""
    if fraction == 1:
        return config
    reader = config["dataset_reader"]
    subsample = {"type": "subsample", "reader": reader, "fraction": fraction, "seed": seed}
    # A copy, because AllenNLP empties the parameters that it reads.
    validation = config.get("validation_dataset_reader") or deepcopy(reader)
    return {**config, "validation_dataset_reader": validation, "dataset_reader": subsample}


def with_steps_per_epoch(config: Configuration, steps: int) -> Configuration:
    """Set the number of updates per training epoch, whatever the size of the data."""
    loader = config["data_loader"]
    return {
        "validation_data_loader": deepcopy(loader),
        **config,
        "data_loader": {**loader, "batches_per_epoch": steps},
    }


def with_schedule(
    config: Configuration, interval: int, patience: int, updates: int
) -> Configuration:
    """
    Count a training run in updates, so that it looks at development data as often with any amount
    of training data.

    # Parameters

    config : `Dict[str, Any]`
    interval : `int`
        Updates between two evaluations. AllenNLP calls them an epoch.
    patience : `int`
        Updates without a better score after which training stops.
    updates : `int`
        Updates at most.
    """
    epochs = {"num_epochs": -(-updates // interval), "patience": -(-patience // interval)}
    return {
        **with_steps_per_epoch(config, interval),
        "trainer": {**config["trainer"], **epochs},
    }


def with_last_layer_only(config: Configuration) -> Configuration:
    """
    Use the biLM's top layer instead of a weighted mix, as TagLM does (Peters et al. 2017), without
    layer normalization, as in the authors' code (`use_top_only` of bilm-tf).
    """
    return with_elmo(config, mix="last", do_layer_norm=False)


def with_elmo(config: Configuration, **settings: Any) -> Configuration:
    """
    Change settings of every ELMo embedder, as in `mix=0` for the token layer alone.

    # Raises

    `ConfigurationError` : there is none.
    """
    changed = deepcopy(config)
    embedders = elmo_embedders(changed)
    if not embedders:
        raise ConfigurationError(
            f"model: expected an embedder of type {' or '.join(ELMO_EMBEDDERS)}, found none"
        )
    for embedder in embedders:
        embedder.update(settings)
    return changed


def with_penalty(config: Configuration, penalty: float) -> Configuration:
    """
    Set lambda in lambda ||w||^2 (section 3.3) for the mixes that are regularized, or for all mixes
    if none is.
    """
    regexes = (config["model"].get("regularizer") or {}).get("regexes", [])
    if not any(_MIX_WEIGHTS in name for name, _ in regexes):
        regexes = [*regexes, [_MIX_WEIGHTS, None]]
    changed = [
        [name, {"type": "l2", "alpha": penalty} if _MIX_WEIGHTS in name else regularizer]
        for name, regularizer in regexes
    ]
    return {**config, "model": {**config["model"], "regularizer": {"regexes": changed}}}
