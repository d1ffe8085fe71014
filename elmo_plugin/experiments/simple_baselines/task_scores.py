"""The simple baselines of each task, and the counts of their scores on test data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance

from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.shared_texts import text_groups
from elmo_plugin.experiments.simple_baselines import counts, gold
from elmo_plugin.experiments.simple_baselines.answer_heuristic import answer
from elmo_plugin.experiments.simple_baselines.bag_of_words import (
    Features,
    bag_of_words,
    premise_and_hypothesis,
    words_of,
)
from elmo_plugin.experiments.simple_baselines.entity_names import label_names
from elmo_plugin.experiments.simple_baselines.parts import Parts
from elmo_plugin.experiments.simple_baselines.same_name import group_mentions
from elmo_plugin.experiments.simple_baselines.token_classifier import (
    label_tokens,
    predicate_features,
    word_features,
)
from elmo_plugin.experiments.statistics.groups import sum_by_group

Score = Callable[[Parts], counts.Counts]


class _Task(NamedTuple):
    """A task's simple baselines by name, and the function that reads the gold of an instance."""

    gold: Callable[[Instance], object]
    baselines: Mapping[str, Score]


def _majority(parts: Parts) -> counts.Counts:
    ((label, _),) = Counter(map(gold.class_label, parts.train_sentences)).most_common(1)
    return counts.count_classes(parts.test, [label] * len(parts.test))


def _bag_of_words(features: Features) -> Score:
    return lambda parts: counts.count_classes(parts.test, bag_of_words(features, parts))


_SINGLE_TOKENS = "logistic regression on single tokens"
_TASKS = {
    "squad": _Task(
        gold.answer_texts,
        {
            "rules, untrained": lambda p: counts.count_answers(
                p.test, [*map(answer, p.test)], p.metric
            )
        },
    ),
    "snli": _Task(
        gold.class_label,
        {
            "majority class": _majority,
            "bag of words, hypothesis only": _bag_of_words(words_of("hypothesis")),
            "bag of words": _bag_of_words(premise_and_hypothesis),
        },
    ),
    "srl": _Task(
        gold.role_labels,
        {
            _SINGLE_TOKENS: lambda p: counts.count_roles(
                p.test, label_tokens(predicate_features, gold.role_labels, p)
            )
        },
    ),
    "coref": _Task(
        gold.gold_clusters,
        {
            "equal names and pronouns, untrained": lambda p: counts.count_clusters(
                p.test, [*map(group_mentions, p.test)]
            )
        },
    ),
    "ner": _Task(
        gold.entity_labels,
        {
            "names of the training data": lambda p: counts.count_entities(
                p.test, label_names(p.train, p.test)
            ),
            _SINGLE_TOKENS: lambda p: counts.count_entities(
                p.test, label_tokens(word_features, gold.entity_labels, p)
            ),
        },
    ),
    "sst5": _Task(
        gold.class_label,
        {"majority class": _majority, "bag of words": _bag_of_words(words_of("tokens"))},
    ),
}


class SimpleScores(NamedTuple):
    """The scores of simple baselines on test data."""

    counts: dict[str, numpy.ndarray]
    """By baseline, see `statistics.scores`. Shape (1, texts, columns)."""
    instances: int
    """Number of test instances."""


def simple_baselines(task: str, config: Configuration) -> SimpleScores:
    """
    Train and score the simple baselines of a task.

    # Parameters

    task : `str`
    config : `Dict[str, Any]`
        The configuration of the task's baseline: of its readers and data.

    # Returns

    `SimpleScores` : without counts for another task than the six.

    # Raises

    `ConfigurationError` : no test data, an instance without a label or an answer, or fewer than
    two classes.
    """
    if task not in _TASKS:
        return SimpleScores({}, 0)
    if config.get("test_data_path") is None:
        raise ConfigurationError(f"paths.{task}.test: expected test data, found none")
    parts = Parts(config, _TASKS[task].gold)
    texts = text_groups(parts.test)
    scores = {
        name: sum_by_group(score(parts), texts)[None]
        for name, score in _TASKS[task].baselines.items()
    }
    return SimpleScores(scores, len(parts.test))
