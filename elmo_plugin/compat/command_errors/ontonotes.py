"""Data in OntoNotes' format, of semantic roles and of coreference."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Optional

from elmo_plugin.common.counted_text import last_read
from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_MIN_COLUMNS = 12
_WORD, _TAG, _PARSE = 3, 4, 5
_MENTION = r"(\(\d+\)?|\d+\))"
# By column, counted from 0.
_FORMATS = {
    1: (re.compile(r"\d+"), "a number"),
    8: (re.compile(r"-|\d+(\.\d*)?"), "a number or -"),
    -1: (re.compile(rf"-|{_MENTION}(\|{_MENTION})*"), "coreference such as (1) or -"),
}


@patch_module("allennlp_models.common.ontonotes")
def name_damaged_rows(module: Any) -> Iterator[None]:
    """AllenNLP does not say which word of a sentence it cannot read, and leaves out a mention that
    does not end."""
    yield
    original = module.Ontonotes._conll_rows_to_sentence

    def checked(self: Any, conll_rows: list[str]) -> Any:
        text, fault = last_read(), _find_fault(conll_rows)
        if fault is not None:
            row, problem = fault
            if text is not None:
                # The reader is at the line after the sentence.
                text.record_line(text.number - len(conll_rows) + row, conll_rows[row])
            raise ValueError(problem)
        return original(self, conll_rows)

    module.Ontonotes._conll_rows_to_sentence = in_commands(checked, otherwise=original)


def _find_fault(rows: list[str]) -> Optional[tuple[int, str]]:
    """Return the first row that is wrong in a sentence, and what is wrong in it."""
    width = max(len(rows[0].split()), _MIN_COLUMNS)
    begun: dict[str, list[int]] = defaultdict(list)  # rows by mention
    for row, columns in enumerate(map(str.split, rows)):
        if len(columns) != width:
            return row, f"expected {width} columns, found {len(columns)}: {rows[row]!r:.200}"
        for column, (format, name) in _FORMATS.items():
            if not format.fullmatch(columns[column]):
                number = range(1, width + 1)[column]
                return row, f"expected {name} in column {number}, found {columns[column]!r:.80}"
        if "XX" not in (columns[_WORD], columns[_TAG]) and columns[_PARSE].count("*") != 1:
            return row, f"expected one * in column {_PARSE + 1}, found {columns[_PARSE]!r:.80}"
        for part in columns[-1].split("|"):
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


@patch_module("allennlp_models.common.ontonotes")
def require_directories(module: Any) -> Iterator[None]:
    """In a file, AllenNLP finds no file of semantic roles, and raises no error."""
    yield
    original = module.Ontonotes.dataset_path_iterator

    def checked(file_path: str) -> Iterator[str]:
        files = list(original(file_path))
        if not files:
            found = "none" if os.path.isdir(file_path) else "a file"
            raise ValueError(
                f"{file_path}: expected a directory of files that end in gold_conll, found {found}"
            )
        yield from files

    module.Ontonotes.dataset_path_iterator = staticmethod(in_commands(checked, otherwise=original))
