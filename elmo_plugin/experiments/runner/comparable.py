"""Checks that the systems of a comparison differ only where it lets them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import Configuration, validation_metric
from elmo_plugin.experiments.runner.fingerprints import named_files
from elmo_plugin.experiments.runner.instance_counts import check_counted
from elmo_plugin.experiments.runner.outcomes import Outcome
from elmo_plugin.experiments.runner.protocol import Protocol


def check_comparable(configs: Mapping[str, Configuration]) -> None:
    """
    Check that all systems have the same model, metric and data.

    # Raises

    `ConfigurationError` : different ones; names the key, the systems and both values.
    """
    _check_equal({name: _shared(config) for name, config in configs.items()})


def check_same_protocol(protocols: Mapping[str, Protocol]) -> None:
    """
    Check that all systems have the same protocol.

    # Raises

    `ConfigurationError` : different ones; names the field, the systems and both values.
    """
    _check_equal({name: vars(protocol) for name, protocol in protocols.items()})


def check_same_data(outcomes: Mapping[str, Outcome]) -> None:
    """
    Check that all systems were trained and scored on the same numbers of instances.

    # Raises

    `ConfigurationError` : different numbers; names the systems and both numbers.
    """
    _check_equal({name: _sizes(outcome) for name, outcome in outcomes.items()})


def _check_equal(values: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that all systems have the same value of each key."""
    (first, expected), *others = values.items()
    for name, found in others:
        for key, value in found.items():
            if value != expected[key]:
                raise ConfigurationError(
                    f"{key}: expected the same in {first} and {name}, found {expected[key]} and "
                    f"{value}"
                )


def _sizes(outcome: Outcome) -> dict[str, list[int]]:
    return {
        "training instances": sorted({run.trained_on for run in outcome.runs}),
        "development instances": sorted({run.scored_on for run in outcome.runs}),
        "test instances": sorted({one.instances for one in outcome.evaluations}),
    }


def check_data(config: Configuration) -> None:
    """
    Check, before training, that there are data to train on, and that the trained model can be
    scored on test data, if there are any.

    # Raises

    `ConfigurationError` : no such file or directory, or a metric without counts of instances.
    """
    for key in ("train_data_path", "validation_data_path"):
        path = config[key]
        if "://" not in path and not named_files(path)[0]:
            raise ConfigurationError(
                f"{key}: expected a file or directory, found none at {path!r}; set `paths` (see "
                "training_configs/lib/paths.libsonnet)"
            )
    path = config.get("test_data_path")
    if path is None:
        return
    if not has_test_data(config):
        raise ConfigurationError(
            f"test_data_path: expected a file or directory with test data, found {path!r}"
        )
    check_counted(validation_metric(config))


def has_test_data(config: Configuration) -> bool:
    """Return True if a configuration names test data that are there."""
    path = config.get("test_data_path")
    return isinstance(path, str) and Path(path).expanduser().exists()


def _shared(config: Configuration) -> dict[str, Any]:
    """Return the settings that all configurations of a comparison must share."""
    return {
        "model.type": config["model"].get("type"),
        "trainer.validation_metric": validation_metric(config),
        **{f"trainer.{key}": config["trainer"].get(key) for key in ("num_epochs", "patience")},
        **{
            key: config.get(key)
            for key in ("train_data_path", "validation_data_path", "test_data_path", "data_loader")
        },
    }
