"""The predictions of one trained classifier."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple, Optional

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.models.archival import load_archive

from elmo_plugin.common.progress import progress
from elmo_plugin.embedding.batches import batched
from elmo_plugin.experiments.runner.evaluations import whole_reader
from elmo_plugin.experiments.runner.known_words import add_words_with_vectors
from elmo_plugin.experiments.runner.shared_texts import text_groups
from elmo_plugin.experiments.statistics.groups import sum_by_group

_PROBABILITIES = ("label_probs", "class_probabilities")
"""Keys of the output of classifiers, such as SNLI's and SST-5's models."""


class Predictions(NamedTuple):
    """
    The probabilities of classes that one classifier gives to each instance.

    # Parameters

    classes : `List[str]`
        In the order of the alphabet.
    probabilities : `numpy.ndarray`
        Shape (instances, classes).
    gold : `List[str]`
        The label of each instance.
    texts : `List[int]`
        The text of each instance, see `text_groups`.
    """

    classes: list[str]
    probabilities: numpy.ndarray
    gold: list[str]
    texts: list[int]

    @property
    def counts(self) -> numpy.ndarray:
        """Correct and all instances by text. Shape (1, texts, 2)."""
        chosen = (self.classes[i] for i in self.probabilities.argmax(-1))
        correct = [[float(a == b), 1.0] for a, b in zip(chosen, self.gold)]
        return sum_by_group(numpy.array(correct), self.texts)[None]


def predict(archive: str, data: str, cuda_device: int = -1, batch_size: int = 64) -> Predictions:
    """
    Run the classifier of an archive on all instances of a file, in order.

    # Raises

    `ConfigurationError` : a model that is no classifier, or instances without labels.
    """
    loaded = load_archive(archive, cuda_device=cuda_device)
    model, config = loaded.model.eval(), loaded.config.as_dict(quiet=True)
    classes = model.vocab.get_index_to_token_vocabulary("labels")
    instances = list(whole_reader(config).read(data))
    if not instances:
        raise ConfigurationError(f"{data}: expected instances, found none")
    gold = [_label(instance) for instance in instances]
    unknown = sorted({*filter(None, gold)} - {*classes.values()})
    if unknown:
        raise ConfigurationError(
            f"{data}: expected labels that {archive} was trained on, "
            f"{', '.join(classes.values())}, found {', '.join(unknown)}"
        )
    add_words_with_vectors(model, config, instances)
    outputs = (
        output
        for batch in progress(list(batched(instances, batch_size)), archive, "batches")
        for output in model.forward_on_instances(batch)
    )
    first = next(outputs)  # errors are raised before the rest is computed
    key = next((key for key in _PROBABILITIES if key in first), None)
    if key is None:
        raise ConfigurationError(
            f"{archive}: expected a classifier with {' or '.join(_PROBABILITIES)} in its output, "
            f"such as SNLI's or SST-5's, found {type(model).__name__}"
        )
    if None in gold:
        number = gold.index(None) + 1
        raise ConfigurationError(
            f"{data}: expected instances with labels, found instance {number} without one"
        )
    order = sorted(classes, key=lambda index: classes[index])
    probabilities = numpy.array([output[key] for output in chain([first], outputs)])[:, order]
    names = [classes[index] for index in order]
    return Predictions(names, probabilities, [*filter(None, gold)], text_groups(instances))


def _label(instance: Instance) -> Optional[str]:
    label = instance.fields.get("label")
    return None if label is None else str(label.label)  # type: ignore[attr-defined]
