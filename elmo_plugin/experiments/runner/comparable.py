"""Checks that the systems of a comparison differ only where it lets them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import Configuration, validation_metric
from elmo_plugin.experiments.runner.instance_counts import check_counted
from elmo_plugin.experiments.runner.outcomes import Outcome


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


def check_same_data(outcomes: Mapping[str, Outcome]) -> None:
    """
    Check that all systems were trained and scored on as many instances.

    # Raises

    `ConfigurationError` : different numbers; names the systems.
    """
    (first, expected), *others = ((name, _sizes(one)) for name, one in outcomes.items())
    for name, found in others:
        for part, value in found.items():
            if value != expected[part]:
                raise ConfigurationError(
                    f"{part} instances: expected the same for {first} and {name}, found "
                    f"{expected[part]} and {value}; their configurations read the data differently"
                )


def _sizes(outcome: Outcome) -> dict[str, list[int]]:
    return {
        "training": sorted({run.trained_on for run in outcome.runs}),
        "development": sorted({run.scored_on for run in outcome.runs}),
        "test": sorted({one.instances for one in outcome.evaluations}),
    }


def check_test_part(config: Configuration) -> None:
    """
    Check, before training, that the trained model can be scored on test data, if there are any.

    # Raises

    `ConfigurationError` : no such file or folder, or a metric without counts of instances.
    """
    path = config.get("test_data_path")
    if path is None:
        return
    if not isinstance(path, str) or not Path(path).exists():
        raise ConfigurationError(
            f"test_data_path: expected a file or folder with test data, found {path!r}"
        )
    check_counted(validation_metric(config))


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
