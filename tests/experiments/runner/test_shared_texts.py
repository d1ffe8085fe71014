"""Counts of instances that share a text."""

import numpy
import pytest
from allennlp.data import Instance, Token
from allennlp.data.fields import TextField

from elmo_plugin.experiments.runner.shared_texts import text_groups
from elmo_plugin.experiments.statistics.groups import sum_by_group
from elmo_plugin.experiments.statistics.significance import bootstrap_interval

GENERATOR = numpy.random.default_rng(0)


@pytest.fixture(autouse=True)
def _restart() -> None:
    """Draw the same numbers whichever tests are run before."""
    GENERATOR.bit_generator.state = numpy.random.default_rng(1).bit_generator.state


def instance(**texts: str) -> Instance:
    return Instance(
        {name: TextField([Token(w) for w in text.split()], {}) for name, text in texts.items()}
    )


def test_instances_with_the_same_text_are_one() -> None:
    pairs = [("a b", "x"), ("c", "x"), ("a b", "y"), ("ab", "x")]
    snli = [instance(premise=premise, hypothesis=hypothesis) for premise, hypothesis in pairs]
    assert text_groups(snli) == [0, 1, 0, 2]
    squad = [instance(question=question, passage=passage) for passage, question in pairs]
    assert text_groups(squad) == [0, 1, 0, 2]
    assert text_groups([instance(tokens="a b"), instance(tokens="a b")]) == [0, 0]
    assert text_groups([instance(other="a"), instance(other="a")]) == [0, 1]


def test_sums_are_those_of_the_instances() -> None:
    counts = GENERATOR.integers(0, 5, (20, 4)).astype(float)
    indices = [i % 6 for i in range(20)]
    sums = sum_by_group(counts, indices)
    assert sums.shape == (6, 4)
    for text in range(6):
        numpy.testing.assert_array_equal(sums[text], counts[text::6].sum(0))


def test_interval_of_repeated_instances_is_that_of_one_each() -> None:
    """Four copies of each outcome do not make it more certain."""
    once = numpy.stack([GENERATOR.random(200) < 0.6, numpy.ones(200)], -1).astype(float)
    repeated = sum_by_group(numpy.tile(once, (4, 1)), [i % 200 for i in range(800)])
    assert bootstrap_interval(repeated[None]) == bootstrap_interval(once[None])
