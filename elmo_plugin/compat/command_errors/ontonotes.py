"""Data in OntoNotes' format, of semantic roles and of coreference."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Optional

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.counted_text import CountedText, last_read, open_counted

_MIN_COLUMNS = 12
_WORD, _TAG, _PARSE, _FIRST_ROLE = 3, 4, 5, 11
_ROLE = re.compile(r"(\([^()*]+)*\*\)*")
_MENTION = r"(\(\d+\)?|\d+\))"
# By column, counted from 0.
_FORMATS = {
    1: (re.compile(r"\d+"), "a number"),
    8: (re.compile(r"-|\d+(\.\d*)?"), "a number or -"),
    -1: (re.compile(rf"-|{_MENTION}(\|{_MENTION})*"), "coreference such as (1) or -"),
}

_Fault = tuple[int, str]
"""A row of a sentence, and what is wrong in it."""


@wrap_in_commands("allennlp_models.common.ontonotes", "Ontonotes._conll_rows_to_sentence")
def name_damaged_rows(original: Any, self: Any, conll_rows: list[str]) -> Any:
    """AllenNLP does not say which word of a sentence it cannot read. It leaves out a mention that
    does not end, and extends a role that does not end to the end of the sentence."""
    text, fault = last_read(), _find_fault(conll_rows)
    if fault is not None:
        row, problem = fault
        if text is not None:
            # The reader is at the line after the sentence.
            text.record_line(text.number - len(conll_rows) + row, conll_rows[row])
        raise ValueError(problem)
    return original(self, conll_rows)


def _find_fault(rows: list[str]) -> Optional[_Fault]:
    """Return a row that is wrong in a sentence, and what is wrong in it."""
    table = [row.split() for row in rows]
    width = max(len(table[0]), _MIN_COLUMNS)
    for row, columns in enumerate(table):
        if len(columns) != width:
            return row, f"expected {width} columns, found {len(columns)}: {rows[row]!r:.200}"
        for column, (format, name) in _FORMATS.items():
            if not format.fullmatch(columns[column]):
                number = range(1, width + 1)[column]
                return row, f"expected {name} in column {number}, found {columns[column]!r:.80}"
        if "XX" not in (columns[_WORD], columns[_TAG]) and columns[_PARSE].count("*") != 1:
            return row, f"expected one * in column {_PARSE + 1}, found {columns[_PARSE]!r:.80}"
    faults = (_find_role_fault(table, column) for column in range(_FIRST_ROLE, width - 1))
    mentions = [columns[-1] for columns in table]
    return next(filter(None, faults), None) or _find_mention_fault(mentions)


def _find_role_fault(table: list[list[str]], column: int) -> Optional[_Fault]:
    """Return the row of a role that has one end only, or another format."""
    begun: list[tuple[int, str]] = []
    for row, columns in enumerate(table):
        label = columns[column]
        if not _ROLE.fullmatch(label):
            problem = f"expected roles such as (ARG0*, * or *) in column {column + 1}"
            return row, f"{problem}, found {label!r:.80}"
        begun += [(row, label)] * label.count("(")
        ends = label.count(")")
        if ends > len(begun):
            problem = f"expected a role that begins before {label} in column {column + 1}"
            return row, f"{problem}, found none"
        del begun[len(begun) - ends :]
    if not begun:
        return None
    row, label = begun[0]
    return row, f"expected *) after {label} in column {column + 1} of a sentence, found none"


def _find_mention_fault(labels: list[str]) -> Optional[_Fault]:
    """Return the row of a mention that has one end only."""
    begun: dict[str, list[int]] = defaultdict(list)
    for row, label in enumerate(labels):
        for part in label.split("|"):
            mention = part.strip("()")
            if part.startswith("("):
                begun[mention].append(row)
            if part.endswith(")"):
                if not begun[mention]:
                    return row, f"expected ({mention} before {mention}) in a sentence, found none"
                begun[mention].pop()
    for mention, where in begun.items():
        if where:
            return where[0], f"expected {mention}) after ({mention} in a sentence, found none"
    return None


@wrap_in_commands("allennlp_models.common.ontonotes", "Ontonotes.dataset_document_iterator")
def require_ends_of_documents(original: Any, self: Any, file_path: str) -> Iterator[Any]:
    """AllenNLP reads a document without `#end document` as one with the next document."""
    with open_counted(file_path) as text:
        _check_ends(text)
    yield from original(self, file_path)


def _check_ends(text: CountedText) -> None:
    begun = ""
    for line in map(str.strip, text):
        if line.startswith("#end document"):
            begun = ""
        elif line.startswith("#begin document"):
            if begun:
                raise ValueError(
                    f"expected #end document after {begun!r:.200}, found {line!r:.200}"
                )
            begun = line


@wrap_in_commands("allennlp_models.common.ontonotes", "Ontonotes.dataset_path_iterator")
def require_directories(original: Any, file_path: str) -> Iterator[str]:
    """In a file, AllenNLP finds no file of semantic roles, and raises no error."""
    files = list(original(file_path))
    if not files:
        found = "none" if os.path.isdir(file_path) else "a file"
        raise ValueError(
            f"{file_path}: expected a directory of files that end in gold_conll, found {found}"
        )
    yield from files
