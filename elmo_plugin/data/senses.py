"""Text whose words are tagged with their senses, and which sense of a word is the first."""

import json
from typing import Any, NamedTuple

from allennlp.common.checks import ConfigurationError

from elmo_plugin.data.text import numbered_lines

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
        try:
            content = json.loads(line)
            tokens = [str(token) for token in content["tokens"]]
            instances += [
                _instance(found, len(sentences), len(tokens)) for found in content["senses"]
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{file}, line {number}: expected tokens and their senses, found: {error!r}"
            ) from error
        sentences.append(tokens)
    if not instances:
        raise ConfigurationError(f"{file}: expected words tagged with senses, found none")
    return sentences, instances


def _instance(found: dict[str, Any], sentence: int, tokens: int) -> SenseInstance:
    start, end = found["start"], found["end"]
    if not 0 <= start < end <= tokens:
        raise ValueError(f"tokens {start} to {end} of {tokens}")
    lemma = f"{found['lemma']}.{found['pos']}"
    return SenseInstance(sentence, start, end, lemma, found["sense"])


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
                f"{file}, line {number}: expected a line of WordNet's index.sense, found {line!r}"
            ) from error
        if sense_number == "1":
            senses[f"{lemma}.{part_of_speech}"] = key
    return senses
