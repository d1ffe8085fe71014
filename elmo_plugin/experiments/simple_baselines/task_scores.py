"""The simple baselines of a task, and the counts of their scores on test data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp_models.rc.tools import squad

from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.evaluations import whole_reader
from elmo_plugin.experiments.runner.shared_texts import text_groups
from elmo_plugin.experiments.runner.training import read_part
from elmo_plugin.experiments.simple_baselines.answer_heuristic import answer_span
from elmo_plugin.experiments.simple_baselines.bag_of_words import (
    bag_of_words,
    labels_of,
    premise_and_hypothesis,
    words_of,
)
from elmo_plugin.experiments.simple_baselines.majority import most_frequent
from elmo_plugin.experiments.statistics.groups import sum_by_group


class _Parts(NamedTuple):
    """The instances of a task; test data are scored."""

    train: Sequence[Instance]
    development: Sequence[Instance]
    test: Sequence[Instance]


def _majority(parts: _Parts) -> list[str]:
    return [most_frequent(labels_of(parts.train))] * len(parts.test)


_MAJORITY: dict[str, Callable[[_Parts], list[str]]] = {"majority class": _majority}
_CLASSIFIERS: dict[str, dict[str, Callable[[_Parts], list[str]]]] = {
    "snli": {
        **_MAJORITY,
        "bag of words, hypothesis only": lambda p: bag_of_words(words_of("hypothesis"), *p),
        "bag of words": lambda p: bag_of_words(premise_and_hypothesis, *p),
    },
    "sst5": {**_MAJORITY, "bag of words": lambda p: bag_of_words(words_of("tokens"), *p)},
}
ANSWERS = "rules, untrained"
TASKS = (*_CLASSIFIERS, "squad")
"""The tasks that have simple baselines."""


def simple_baselines(task: str, config: Configuration) -> dict[str, numpy.ndarray]:
    """
    Train and score the simple baselines of a task.

    # Parameters

    task : `str`
    config : `Dict[str, Any]`
        The configuration of the task's baseline: of its readers and data.

    # Returns

    `Dict[str, numpy.ndarray]` : counts by baseline, see `statistics.scores`. Shape
    (1, texts, 2). Empty for tasks other than `TASKS`.

    # Raises

    `ConfigurationError` : no test data, an instance without a label or an answer, or fewer than
    two classes.
    """
    if task not in TASKS:
        return {}
    if config.get("test_data_path") is None:
        raise ConfigurationError(f"paths.{task}.test: expected test data, found none")
    test = list(whole_reader(config).read(config["test_data_path"]))
    if task == "squad":
        return {ANSWERS: _counts([_answer_f1(one, config) for one in test], test)}
    parts = _Parts(read_part(config, "train"), read_part(config, "validation"), test)
    for part, key in zip(parts, ("train_data_path", "validation_data_path", "test_data_path")):
        _check_labels(part, config[key])
    if len(set(labels_of(parts.train))) < 2:
        raise ConfigurationError(
            f"{config['train_data_path']}: expected at least two classes, found "
            f"{', '.join(set(labels_of(parts.train))) or 'none'}"
        )
    gold = labels_of(test)
    return {
        name: _counts([float(a == b) for a, b in zip(predict(parts), gold)], test)
        for name, predict in _CLASSIFIERS[task].items()
    }


def _check_labels(instances: Sequence[Instance], source: str) -> None:
    unlabeled = sum("label" not in instance.fields for instance in instances)
    if unlabeled:
        raise ConfigurationError(
            f"{source}: expected a label for each instance, found {unlabeled} without one"
        )


def _answer_f1(instance: Instance, config: Configuration) -> float:
    metadata = instance["metadata"].metadata  # type: ignore[attr-defined]
    if not metadata.get("answer_texts"):
        raise ConfigurationError(
            f"{config['test_data_path']}, question {metadata.get('id')}: expected answers, found "
            "none"
        )
    start, end = answer_span(metadata["question_tokens"], metadata["passage_tokens"])
    offsets = metadata["token_offsets"]
    answer = metadata["original_passage"][offsets[start][0] : offsets[end - 1][1]]
    return squad.metric_max_over_ground_truths(squad.compute_f1, answer, metadata["answer_texts"])


def _counts(values: list[float], instances: Sequence[Instance]) -> numpy.ndarray:
    counts = numpy.stack([numpy.array(values), numpy.ones(len(values))], -1)
    return sum_by_group(counts, text_groups(instances))[None]
