"""The rules for predicates, on sentences below and on the predicates marked in the fixtures."""

from pathlib import Path

import pytest
from allennlp_models.common.ontonotes import Ontonotes

from elmo_plugin.tasks.predicates import find_predicates

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("sentence", "predicates"),
    [
        ("Ruth sold the boat .", ["sold"]),
        ("Rowing is hard , but she likes it .", ["Rowing", "is", "likes"]),
        ("The painted boat was never found .", ["was", "found"]),
        ("My run was long .", ["was"]),
        ("The king and a red bed .", []),
        ("They visited Reading .", ["visited"]),  # a name
        ("I 'm late for something", ["'m"]),
        ("The verdict hinged on it .", ["hinged"]),
        ("You could paint it , not me , to the end .", ["paint"]),
        ("", []),
    ],
)
def test_sentences(sentence: str, predicates: list[str]) -> None:
    words = sentence.split()
    assert [words[i] for i in find_predicates(words)] == predicates


def test_finds_the_marked_predicates() -> None:
    found = marked = right = 0
    for sentence in Ontonotes().dataset_iterator(str(FIXTURES / "srl" / "dev")):
        gold = {tags.index("B-V") for _, tags in sentence.srl_frames}
        guess = set(find_predicates(sentence.words))
        found, marked, right = found + len(guess), marked + len(gold), right + len(gold & guess)
    assert right == marked  # none is missed
    assert right > 0.8 * found  # `was` is not marked
