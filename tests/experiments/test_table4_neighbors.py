"""Parts of the table of nearest neighbors."""

import pytest
import torch

from elmo_plugin.data.static_vectors import StaticVectors
from elmo_plugin.experiments.table4_neighbors import StaticNeighbors, in_context


def test_long_sentences_are_shortened_around_the_word() -> None:
    words = [str(i) for i in range(100)]
    shown = in_context(words, 50).split()
    assert shown[0] == shown[-1] == "…"
    assert shown[1:-1] == [*words[38:50], "**50**", *words[51:63]]


@pytest.mark.parametrize(
    "vectors",
    [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0]] * 4],
    ids=["zeros", "equal vectors"],
)
def test_static_neighbors_are_as_many_as_asked_for(vectors: list[list[float]]) -> None:
    words = ["the", "play", "stage", "game"]
    search = StaticNeighbors(StaticVectors(words, torch.tensor(vectors)))
    for word in words:
        found = search.nearest(word, 2)
        assert len(found) == 2
        assert not any(line.endswith(f": {word}") for line in found)
