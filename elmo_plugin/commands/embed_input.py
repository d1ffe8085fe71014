"""The input of `elmo embed`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from elmo_plugin.common.text import STANDARD_INPUT, check_words, numbered_lines, text_files
from elmo_plugin.data.sentence import Sentence

if TYPE_CHECKING:
    from allennlp.common import Params

    from elmo_plugin.embedding.text import SentenceFile


def is_configuration(args: argparse.Namespace) -> bool:
    """Return True if the input is the configuration of a training run."""
    names = [path.endswith((".json", ".jsonnet")) for path in args.input]
    return args.input_format is None and any(names)


def check_options(args: argparse.Namespace) -> None:
    """
    Check that the options of the input have an effect.

    # Raises

    `ValueError` : names an option that has none, or standard input twice.
    """
    reasons: dict[str, str] = {}
    if is_configuration(args):
        reasons |= dict.fromkeys(("raw_text", "column"), "its dataset reader makes the tokens")
    else:
        formats = {file.format for file in _text_files(args)}
        reasons["overrides"] = "the input is not a configuration"
        if "conll" not in formats:
            reasons["column"] = "the input has no columns"
        if formats == {"conll"}:
            reasons["raw_text"] = "a column holds the tokens"
    for name, reason in reasons.items():
        if getattr(args, name):
            raise ValueError(f"--{name.replace('_', '-')} has no effect, as {reason}")


def input_files(args: argparse.Namespace) -> Sequence[Iterable[Sentence]]:
    """
    Return the sentences of each file, in the order of the arguments and, of a glob, of the names.

    # Raises

    `ValueError` : no such file, a file without words, or other inputs beside a configuration.
    """
    if is_configuration(args):
        from elmo_plugin.data.task_sentences import task_sentences

        return [list(_distinct(task_sentences(read_configuration(args))))]
    files = _text_files(args)
    for file in files:
        if file.path != STANDARD_INPUT:
            check_words(file.path)
    return [_Sentences(file) for file in files]


def paths_read(args: argparse.Namespace) -> list[str]:
    """Return the files and globs that are read: text, datasets, and the biLM's."""
    data: list[str] = []
    if is_configuration(args):
        from elmo_plugin.data.task_sentences import data_paths

        data = data_paths(read_configuration(args))
    return [*args.input, *data, args.bilm]


def read_configuration(args: argparse.Namespace) -> Params:
    """
    Return the configuration that is the input.

    # Raises

    `ValueError` : other inputs beside it, or no dataset reader in it.
    """
    from allennlp.common import Params

    if len(args.input) > 1:
        raise ValueError(
            f"input: expected one configuration alone, got {' '.join(args.input)}; for JSON lines, "
            "add --input-format jsonl"
        )
    configuration = Params.from_file(args.input[0], args.overrides)
    if "dataset_reader" not in configuration:
        raise ValueError(
            f"{args.input[0]}: expected a configuration with a dataset_reader, found none; for "
            "JSON lines, add --input-format jsonl"
        )
    return configuration


def count_sentences(args: argparse.Namespace) -> int | None:
    """Return the number of sentences for the progress bar; `None` if it is unknown or not shown."""
    if not sys.stderr.isatty() or is_configuration(args) or STANDARD_INPUT in args.input:
        return None
    files = _text_files(args)
    if any(file.format == "conll" for file in files):
        return None
    return sum(1 for file in files for _ in numbered_lines(file.path))


def _text_files(args: argparse.Namespace) -> list[SentenceFile]:
    from elmo_plugin.embedding.text import SentenceFile, input_format, token_column

    if args.engine == "ray" and STANDARD_INPUT in args.input:
        raise ValueError("input: expected files, which Ray's workers can read, got standard input")
    paths = [
        path
        for pattern in args.input
        for path in ([pattern] if pattern == STANDARD_INPUT else text_files(pattern))
    ]
    if paths.count(STANDARD_INPUT) > 1:
        raise ValueError("input: expected standard input (-) once")
    return [
        SentenceFile(
            path,
            input_format(path, args.input_format),
            args.raw_text,
            token_column(path, args.column),
        )
        for path in paths
    ]


class _Sentences:
    """The sentences of a file, each time that it is iterated over."""

    def __init__(self, file: SentenceFile) -> None:
        self._file = file

    def __iter__(self) -> Iterator[Sentence]:
        return map(Sentence, self._file)


def _distinct(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    seen: set[bytes] = set()
    for sentence in sentences:
        assert sentence.character_ids is not None
        key = sentence.character_ids.numpy().tobytes()
        if key not in seen and len(sentence.tokens):
            yield sentence
        seen.add(key)
