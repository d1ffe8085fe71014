"""Text whose words are tagged with their senses, and which sense of a word is the first."""

from typing import Any, NamedTuple

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.json_text import parse_json
from elmo_plugin.common.text import numbered_lines

# WordNet's numbers; 5 is an adjective too, one that stands beside another in meaning.
_PARTS_OF_SPEECH = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


class SenseInstance(NamedTuple):
    """Tokens `start` to `end`, that one excluded, of a sentence, and what they mean."""

    sentence: int
    start: int
    end: int
    lemma: str
    """With its part of speech: "play.n"."""
    sense: str


@configuration_errors()
def read_senses(file: str) -> tuple[list[list[str]], list[SenseInstance]]:
    """
    # Parameters

    file : `str`
        A JSON object a line: `tokens`, words; `senses`, objects of `start`, `end` (excluded),
        `lemma`, `pos`, `sense`. Plain or `.gz`.

    # Returns

    sentences : `List[List[str]]`
    instances : `List[SenseInstance]`

    # Raises

    `ConfigurationError` : something else, by line, or no sense at all.
    """
    sentences: list[list[str]] = []
    instances: list[SenseInstance] = []
    for number, line in numbered_lines(file):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        content = parse_json(line, place)
        try:
            tokens = _items(content, "tokens", str)
            senses = _items(content, "senses", dict)
            instances += [_instance(found, len(sentences), len(tokens)) for found in senses]
        except ValueError as error:
            raise ConfigurationError(f"{place}: {error}") from error
        sentences.append(tokens)
    if not instances:
        raise ConfigurationError(f"{file}: expected words tagged with senses, found none")
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


@configuration_errors()
def read_first_senses(file: str) -> dict[str, str]:
    """
    The first sense of each lemma in WordNet's own `index.sense`: lines of sense key, offset, number
    of the sense, and count.

    # Raises

    `ConfigurationError` : a line of another form.
    """
    senses = {}
    for number, line in numbered_lines(file):
        try:
            key, _, sense_number, _ = line.split()
            lemma, rest = key.split("%", 1)
            part_of_speech = _PARTS_OF_SPEECH[rest[0]]
        except (ValueError, KeyError, IndexError) as error:
            raise ConfigurationError(
                f"{file}, line {number}: expected a line of WordNet's index.sense, found "
                f"{line!r:.80}"
            ) from error
        if sense_number == "1":
            senses[f"{lemma}.{part_of_speech}"] = key
    return senses
