"""Comparisons of configurations, without training."""

from typing import Any

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparable import check_comparable
from elmo_plugin.experiments.runner.protocol import Protocol
from elmo_plugin.experiments.tasks import task_name

CONFIG: dict[str, Any] = {
    "model": {"type": "tagger"},
    "trainer": {"validation_metric": "+f1"},
    "train_data_path": "train",
    "validation_data_path": "dev",
}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"model": {"type": "other"}}, "model.type"),
        ({"trainer": {"validation_metric": "+accuracy"}}, "trainer.validation_metric"),
        ({"train_data_path": "other"}, "train_data_path"),
        ({"validation_data_path": "other"}, "validation_data_path"),
    ],
)
def test_differences_are_named(changes: dict[str, Any], key: str) -> None:
    check_comparable({"a": CONFIG, "b": {**CONFIG, "dataset_reader": {}}})
    with pytest.raises(ConfigurationError, match=rf"{key}: expected the same in a and b, found"):
        check_comparable({"a": CONFIG, "b": {**CONFIG, **changes}})


def test_repeated_seeds() -> None:
    with pytest.raises(ConfigurationError, match="seeds: expected distinct ones"):
        Protocol(seeds=(1, 2, 1))


def test_task_name_is_that_of_the_folder() -> None:
    assert task_name("training_configs/ner/elmo.jsonnet") == "ner"
