"""Sentences with a label a token: from a column of CoNLL-U, or from two files side by side."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import numbered_lines

CONLLU_COLUMNS = (
    *("id", "form", "lemma", "upos", "xpos"),
    *("feats", "head", "deprel", "deps", "misc"),
)


class LabelledSentence(NamedTuple):
    tokens: list[str]
    labels: list[str]


@configuration_errors()
def read_conllu(file: str, column: str) -> list[LabelledSentence]:
    """
    The words of a CoNLL-U file and what stands in one of its columns. Multiword tokens and empty
    nodes, which are beside the words, are passed over.

    # Raises

    `ConfigurationError` : a column that is not there, or a line of another number of columns.
    """
    if column not in CONLLU_COLUMNS:
        expected = ", ".join(CONLLU_COLUMNS)
        raise ConfigurationError(f"column: expected one of {expected}, got {column!r}")
    place = CONLLU_COLUMNS.index(column)
    sentences, current = [], LabelledSentence([], [])
    for fields in _conllu_lines(file):
        if fields is None:
            current = LabelledSentence([], [])
        elif fields[0].isdecimal():
            if not current.tokens:
                sentences.append(current)
            current.tokens.append(fields[1])
            current.labels.append(fields[place])
    if not sentences:
        raise ConfigurationError(f"{file}: expected sentences in CoNLL-U, found none")
    return sentences


def _conllu_lines(file: str) -> Iterator[Optional[list[str]]]:
    """The fields of each line, comments apart; `None` between sentences."""
    for number, line in numbered_lines(file):
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if line.strip() and len(fields) != len(CONLLU_COLUMNS):
            raise ConfigurationError(
                f"{file}, line {number}: expected the {len(CONLLU_COLUMNS)} columns of CoNLL-U, "
                f"found {len(fields)}"
            )
        yield fields if line.strip() else None


@configuration_errors()
def read_side_by_side(text: str, labels: str) -> list[LabelledSentence]:
    """
    A tokenized sentence a line in one file, and in another a line with as many labels.

    # Raises

    `ConfigurationError` : names the first line whose labels are not as many as its tokens.
    """
    sentences = []
    nothing = (None, "")
    for (number, tokens), (other, found) in zip_longest(
        numbered_lines(text), numbered_lines(labels), fillvalue=nothing
    ):
        sentence = LabelledSentence(tokens.split(), found.split())
        if len(sentence.tokens) != len(sentence.labels):
            raise ConfigurationError(
                f"{labels}, line {number or other}: expected a label for each of the "
                f"{len(sentence.tokens)} tokens in {text}, found {len(sentence.labels)}"
            )
        if sentence.tokens:
            sentences.append(sentence)
    return sentences
