"""Sense-tagged text, and the first sense of each lemma in WordNet."""

from typing import Any, NamedTuple

from elmo_plugin.common.json_text import parse_json
from elmo_plugin.common.text import numbered_lines

# WordNet's numbers; 5 is a satellite adjective.
_PARTS_OF_SPEECH = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


class SenseInstance(NamedTuple):
    """Tokens `start` to `end` (exclusive) of a sentence, and their sense."""

    sentence: int
    start: int
    end: int
    lemma: str
    """With its part of speech: "play.n"."""
    sense: str


def read_senses(file: str) -> tuple[list[list[str]], list[SenseInstance]]:
    """
    Read text whose words are tagged with senses.

    # Parameters

    file : `str`
        A JSON object per line: `tokens`, strings; `senses`, objects of `start`, `end` (exclusive),
        `lemma`, `pos`, `sense`. Plain or `.gz`.

    # Returns

    sentences : `List[List[str]]`
    instances : `List[SenseInstance]`

    # Raises

    `ValueError` : another format, by line, or no senses.
    """
    sentences: list[list[str]] = []
    instances: list[SenseInstance] = []
    for number, line in numbered_lines(file):
        if not line.strip():
            continue
        location = f"{file}, line {number}"
        content = parse_json(line, location)
        try:
            tokens = _items(content, "tokens", str)
            senses = _items(content, "senses", dict)
            instances += [_instance(found, len(sentences), len(tokens)) for found in senses]
        except ValueError as error:
            raise ValueError(f"{location}: {error}") from error
        sentences.append(tokens)
    if not instances:
        raise ValueError(f"{file}: expected words tagged with senses, found none")
    return sentences, instances


def _items(content: Any, key: str, kind: type) -> list[Any]:
    items = content.get(key) if isinstance(content, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
        expected = "strings" if kind is str else "objects"
        raise ValueError(f"{key}: expected a list of {expected}, found {items!r:.80}")
    return items


def _instance(found: dict[str, Any], sentence: int, tokens: int) -> SenseInstance:
    start, end = found.get("start"), found.get("end")
    # Exact types: a bool is an int to isinstance.
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= tokens:
        raise ValueError(
            f"senses: expected start and end from 0 to {tokens}, the number of tokens, found "
            f"{start!r:.80} and {end!r:.80}"
        )
    for key in ("lemma", "pos", "sense"):
        if not isinstance(found.get(key), str):
            raise ValueError(f"senses: {key}: expected a string, found {found.get(key)!r:.80}")
    return SenseInstance(sentence, start, end, f"{found['lemma']}.{found['pos']}", found["sense"])


def read_first_senses(file: str) -> dict[str, str]:
    """
    Read the first sense of each lemma from WordNet's `index.sense`, whose lines have a sense key,
    an offset, the number of the sense, and a count.

    # Raises

    `ValueError` : a line in another format.
    """
    senses = {}
    for number, line in numbered_lines(file):
        try:
            key, _, sense_number, _ = line.split()
            lemma, rest = key.split("%", 1)
            part_of_speech = _PARTS_OF_SPEECH[rest[0]]
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(
                f"{file}, line {number}: expected a line of WordNet's index.sense, found "
                f"{line!r:.80}"
            ) from error
        if sense_number == "1":
            senses[f"{lemma}.{part_of_speech}"] = key
    return senses
