"""The phrases that `sst_phrases` reads, against the trees' own."""

from pathlib import Path

import pytest
from nltk.tree import Tree

from elmo_plugin.tasks.sst import SstPhrasesReader

FILE = Path(__file__).parents[2] / "fixtures" / "sst5" / "dev.txt"


@pytest.mark.parametrize("min_tokens", [1, 4, 6])
@pytest.mark.parametrize("phrases", [True, False])
def test_keeps_phrases_of_at_least_so_many_tokens(min_tokens: int, phrases: bool) -> None:
    reader = SstPhrasesReader(min_tokens=min_tokens, use_subtrees=phrases)
    found = [
        ([token.text for token in instance["tokens"]], instance["label"].label)
        for instance in reader.read(FILE)
    ]
    trees = [Tree.fromstring(line) for line in FILE.read_text().splitlines() if line]
    read = [part for tree in trees for part in (tree.subtrees() if phrases else [tree])]
    expected = [(part.leaves(), part.label()) for part in read if len(part.leaves()) >= min_tokens]
    assert found == expected
