"""Coreference by rules, without training: equal names, and pronouns of the same person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from allennlp.data import Instance

from elmo_plugin.experiments.simple_baselines.gold import Mention, metadata_of

_PRONOUNS = {
    word: person
    for person in (
        *("i me my mine myself", "you your yours yourself", "he him his himself"),
        *("she her hers herself", "it its itself", "we us our ours ourselves"),
        "they them their theirs themselves",
    )
    for word in person.split()
}


def group_mentions(document: Instance) -> list[list[Mention]]:
    """
    Group the mentions of a document: all pronouns of the same person, number and gender; all runs
    of capitalized words that end with the same word. A word that the document also has in lower
    case is no name.

    # Returns

    `List[List[Tuple[int, int]]]` : clusters of at least two mentions, in the order of the text.
    """
    words = metadata_of(document)["original_text"]
    clusters: dict[str, list[Mention]] = {}
    for start, end in _mentions(words):
        last = words[end].lower()
        clusters.setdefault(_PRONOUNS.get(last, last), []).append((start, end))
    return [mentions for mentions in clusters.values() if len(mentions) > 1]


def _mentions(words: Sequence[str]) -> Iterator[Mention]:
    in_lower_case = {word for word in words if word.islower()}

    def kind(position: int) -> str | None:
        word = words[position]
        if word.lower() in _PRONOUNS:
            return f"pronoun {position}"  # one mention each
        return "name" if word[:1].isupper() and word.lower() not in in_lower_case else None

    for found, positions in groupby(range(len(words)), kind):
        if found is not None:
            first, *others = positions
            yield first, [first, *others][-1]
