"""Simple baselines of NER, semantic roles and coreference, on made-up instances."""

from typing import cast

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Token
from allennlp.data.fields import MetadataField, SequenceLabelField, TextField

from elmo_plugin.experiments.simple_baselines.entity_names import label_names
from elmo_plugin.experiments.simple_baselines.gold import entity_labels
from elmo_plugin.experiments.simple_baselines.parts import Parts
from elmo_plugin.experiments.simple_baselines.same_name import group_mentions
from elmo_plugin.experiments.simple_baselines.token_classifier import (
    label_tokens,
    predicate_features,
    word_features,
)
from tests.helpers.made_up_parts import MadeUpParts


def tagged(text: str) -> Instance:
    """Return an instance of tokens with their labels, as in "Ann/B-PER sings/O"."""
    words, labels = zip(*(pair.rsplit("/", 1) for pair in text.split()))
    field = TextField([Token(word) for word in words], {})
    return Instance({"tokens": field, "tags": SequenceLabelField(list(labels), field)})


def test_names_have_the_single_class_of_the_training_data() -> None:
    train = [
        tagged("New/B-LOC York/L-LOC and/O York/U-LOC"),
        tagged("Ann/U-PER Hill/U-LOC met/O Georgia/U-PER in/O Georgia/U-LOC"),
        tagged("the/O New/B-ORG York/I-ORG Times/L-ORG"),
    ]
    test = [
        tagged("Georgia/O Hill/O left/O New/O York/O"),
        tagged("The/O New/O York/O Post/O ,/O the/O New/O York/O Times/O Ann/O"),
    ]
    expected = [
        ["O", "B-LOC", "O", "B-LOC", "I-LOC"],
        ["O", "B-LOC", "I-LOC", "O", "O", "O", "B-ORG", "I-ORG", "I-ORG", "B-PER"],
    ]
    assert label_names(train, test) == expected


def test_tokens_are_labeled_by_the_words_beside_them() -> None:
    train = [
        tagged("in/O Oslo/B-LOC"),
        tagged("by/O Berg/B-PER"),
        tagged("in/O Bergen/B-LOC"),
        tagged("by/O Lind/B-PER"),
    ] * 5
    test = [tagged("by/O Xu/B-PER"), tagged("in/O Ulm/B-LOC")]
    parts = cast(Parts, MadeUpParts(train, test, test))
    assert label_tokens(word_features, entity_labels, parts) == [*map(entity_labels, test)]


def predicate(words: str, position: int | None) -> Instance:
    return Instance({"metadata": MetadataField({"words": words.split(), "verb_index": position})})


def test_roles_depend_on_the_predicate_and_the_distance_from_it() -> None:
    features = predicate_features(predicate("Ann sees Bo sing", 1))
    assert all(f"distance {i - 1}" in one for i, one in enumerate(features))
    assert "before sees" in features[0] and "after sees" in features[2]
    assert features != predicate_features(predicate("Ann sees Bo sing", 3))
    assert len(predicate_features(predicate("Ann sings", None))) == 2


def test_one_label_raises() -> None:
    parts = cast(Parts, MadeUpParts([tagged("a/O b/O")], [], []))
    with pytest.raises(
        ConfigurationError, match=r"data\.txt: expected at least two classes, found O"
    ):
        label_tokens(word_features, entity_labels, parts)


def mentions(text: str) -> list[list[str]]:
    """Return the words of the mentions of each cluster."""
    words = text.split()
    document = Instance({"metadata": MetadataField({"original_text": words})})
    return [
        [" ".join(words[start : end + 1]) for start, end in cluster]
        for cluster in group_mentions(document)
    ]


def test_mentions_with_the_same_name_or_person_are_grouped() -> None:
    text = "The captain saw Ann Lind . The crew and she left the ship . Lind lost her hat ."
    assert mentions(text) == [["Ann Lind", "Lind"], ["she", "her"]]


def test_adjacent_pronouns_are_mentions_of_their_own() -> None:
    assert mentions("He gave her his hat") == [["He", "his"]]
    assert mentions("Ann told him his name") == [["him", "his"]]
