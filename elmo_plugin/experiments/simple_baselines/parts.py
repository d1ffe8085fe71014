"""Reads a task's data when a simple baseline needs them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance

from elmo_plugin.experiments.runner.configurations import Configuration, validation_metric
from elmo_plugin.experiments.runner.evaluations import whole_reader
from elmo_plugin.experiments.runner.training import read_part


class Parts:
    """
    The labeled instances of a task.

    # Parameters

    config : `Dict[str, Any]`
        Its paths and readers are used.
    gold : `Callable[[Instance], object]`
        Returns the gold labels, answers or clusters; raises `ValueError` if there are none.

    # Raises

    `ConfigurationError` : an instance without them, when its part is read; names the file.
    """

    def __init__(self, config: Configuration, gold: Callable[[Instance], object]) -> None:
        self._config = config
        self._gold = gold

    @property
    def metric(self) -> str:
        """The validation metric."""
        return validation_metric(self._config)

    @property
    def train_file(self) -> str:
        """The name of the training file in error messages."""
        return str(self._config["train_data_path"])

    @cached_property
    def train(self) -> list[Instance]:
        return self._checked("train", read_part(self._config, "train"))

    @cached_property
    def train_sentences(self) -> list[Instance]:
        """Training data without phrases, read by the reader of the test data."""
        path = self._config["train_data_path"]
        return self._checked("train", list(whole_reader(self._config).read(path)))

    @cached_property
    def development(self) -> list[Instance]:
        return self._checked("validation", read_part(self._config, "validation"))

    @cached_property
    def test(self) -> list[Instance]:
        """All of them, though validation may use a subsample."""
        path = self._config["test_data_path"]
        return self._checked("test", list(whole_reader(self._config).read(path)))

    def _checked(self, part: str, instances: list[Instance]) -> list[Instance]:
        for number, instance in enumerate(instances, 1):
            try:
                self._gold(instance)
            except ValueError as error:
                file = self._config[f"{part}_data_path"]
                raise ConfigurationError(f"{file}, instance {number}: {error}") from error
        return instances


def check_classes(labels: Collection[str], parts: Parts) -> None:
    """Raise `ConfigurationError` if there are fewer than two classes to learn."""
    classes = set(labels)
    if len(classes) < 2:
        raise ConfigurationError(
            f"{parts.train_file}: expected at least two classes, found "
            f"{', '.join(classes) or 'none'}"
        )
