"""Checks that configurations differ only where a comparison lets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import Configuration, validation_metric


def check_comparable(configs: Mapping[str, Configuration]) -> None:
    """
    # Raises

    `ConfigurationError` : different models, metrics or data; names the key and both values.
    """
    (first, expected), *others = ((name, _shared(config)) for name, config in configs.items())
    for name, found in others:
        for key, value in found.items():
            if value != expected[key]:
                raise ConfigurationError(
                    f"{key}: expected the same in {first} and {name}, found {expected[key]} and "
                    f"{value}"
                )


def _shared(config: Configuration) -> dict[str, Any]:
    """Return the settings that all configurations of a comparison must share."""
    return {
        "model.type": config["model"].get("type"),
        "trainer.validation_metric": validation_metric(config),
        **{
            key: config.get(key)
            for key in ("train_data_path", "validation_data_path", "test_data_path")
        },
    }
