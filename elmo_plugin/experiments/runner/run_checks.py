"""Checks that the files of a run are those of a configuration."""

from __future__ import annotations

from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import Configuration, validation_metric
from elmo_plugin.experiments.runner.fingerprints import fingerprint
from elmo_plugin.experiments.runner.run_files import Evaluation, Run, read_evaluation


def find_evaluation(file: Path, config: Configuration, data_hash: str) -> Evaluation | None:
    """
    Read the score of a run; `None` if there is none, or one on other test data.

    # Raises

    `ConfigurationError` : the score of another configuration.
    """
    found = read_evaluation(file) if file.exists() else None
    if found is None or found.data_hash != data_hash:
        return None
    check_record(file, found, config)
    return found


def check_record(file: Path, record: Run | Evaluation, config: Configuration) -> None:
    """Raise `ConfigurationError` if a file has the record of another configuration."""
    expected = {"fingerprint": fingerprint(config), "metric": validation_metric(config)}
    for field, value in expected.items():
        if getattr(record, field) != value:
            raise ConfigurationError(
                f"{file}: {field}: expected {value}, found {getattr(record, field)}; remove the "
                "file to train or score again"
            )
