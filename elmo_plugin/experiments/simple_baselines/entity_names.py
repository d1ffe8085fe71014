"""Named entities as in the training data: the baseline of CoNLL 2003."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from allennlp.data import Instance
from allennlp.data.dataset_readers.dataset_utils.span_utils import bio_tags_to_spans

from elmo_plugin.experiments.simple_baselines.gold import entity_labels

Name = tuple[str, ...]


def label_names(train: Sequence[Instance], test: Sequence[Instance]) -> list[list[str]]:
    """
    Label the names of the training data that have a single class there; of several that begin at
    the same token, the longest: the baseline of the CoNLL-2003 shared task (Tjong Kim Sang and
    De Meulder 2003).

    # Returns

    `List[List[str]]` : labels in BIO of `test`, by instance and token.
    """
    classes = _classes(train)
    longest = max(map(len, classes), default=0)
    return [_label(_words(instance), classes, longest) for instance in test]


def _classes(train: Sequence[Instance]) -> dict[Name, str]:
    found: dict[Name, set[str]] = defaultdict(set)
    for instance in train:
        words = _words(instance)
        for name_class, (start, end) in bio_tags_to_spans(entity_labels(instance)):
            found[tuple(words[start : end + 1])].add(name_class)
    return {name: classes.pop() for name, classes in found.items() if len(classes) == 1}


def _label(words: Sequence[str], classes: Mapping[Name, str], longest: int) -> list[str]:
    labels: list[str] = []
    while (start := len(labels)) < len(words):
        names = (tuple(words[start : start + length]) for length in range(longest, 0, -1))
        name = next((name for name in names if name in classes), None)
        if name is None:
            labels.append("O")
        else:
            labels += [f"B-{classes[name]}"] + [f"I-{classes[name]}"] * (len(name) - 1)
    return labels


def _words(instance: Instance) -> list[str]:
    return [token.text for token in instance["tokens"].tokens]  # type: ignore[attr-defined]
