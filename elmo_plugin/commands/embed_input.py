"""The input of `elmo embed`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_plugin.common.configuration_objects import elmo_embedders
from elmo_plugin.common.text import numbered_lines, text_files
from elmo_plugin.data.sentence import Sentence
from elmo_plugin.weights.resolve import BUILT_IN, LanguageModelFiles

if TYPE_CHECKING:
    from allennlp.common import Params

    from elmo_plugin.embedding.text import SentenceFile

_STANDARD_INPUT = "-"


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
        reasons["overrides"] = "the input is no configuration"
        if "conll" not in formats:
            reasons["column"] = "the input has no columns"
        if formats == {"conll"}:
            reasons["raw_text"] = "a column holds the tokens"
    for name, reason in reasons.items():
        if value := getattr(args, name):
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option}: expected none, as {reason}, got {value!r:.80}")


def input_files(args: argparse.Namespace) -> Sequence[Iterable[Sentence]]:
    """
    Return the sentences of each file, in the order of the arguments and, of a glob, of the names.

    # Raises

    `ValueError` : no such file, or other inputs beside a configuration.
    """
    if is_configuration(args):
        from elmo_plugin.data.task_sentences import task_sentences

        return [list(_distinct(task_sentences(_configuration(args))))]
    return [_Sentences(file) for file in _text_files(args)]


def paths_read(args: argparse.Namespace) -> list[str]:
    """Return the files and globs that are read: text, datasets, and the biLM's."""
    data: list[str] = []
    if is_configuration(args):
        from elmo_plugin.data.task_sentences import data_paths

        data = data_paths(_configuration(args))
    return [*args.input, *data, args.bilm]


def complete_bilm(args: argparse.Namespace) -> None:
    """
    Set the biLM, its precision and the initial state that the options leave out: those of the
    configuration, or the built-in biLM, "float32" and "zero".

    # Raises

    `ValueError` : the configuration has several; weights whose options are elsewhere; a state that
    depends on the sentences before.
    """
    embedders = []
    if is_configuration(args):
        embedders = elmo_embedders(_configuration(args).as_dict(quiet=True), "elmo")
    if args.bilm is None:
        weights = (_weights(item, args.input[0]) for item in embedders)
        args.bilm = _only("bilm", weights, BUILT_IN, args.input[0])
    if args.precision is None:
        types = (item.get("precision", "float32") for item in embedders)
        args.precision = _only("precision", types, "float32", args.input[0])
    if args.initial_state is None:
        states = (item.get("initial_state", "zero") for item in embedders)
        args.initial_state = _only("initial-state", states, "zero", args.input[0])
    if args.initial_state == "carried":
        raise ValueError(
            f'--initial-state: expected "zero" or "warm", as {args.input[0]} has "carried", with '
            "which vectors depend on the sentences before, got none"
        )


def _only(option: str, values: Iterable[str], default: str, source: str) -> str:
    """Return the value that all ELMo embedders of a configuration have."""
    found = sorted(set(values)) or [default]
    if len(found) > 1:
        raise ValueError(
            f"--{option}: expected one of those in {source} ({', '.join(found)}), got none"
        )
    return found[0]


def _weights(embedder: Mapping[str, Any], source: str) -> str:
    """Return an embedder's biLM. Its options must be those that `resolve` finds."""
    weights = embedder.get("weight_file") or BUILT_IN
    options = embedder.get("options_file")
    if weights != BUILT_IN and options is not None:
        expected = LanguageModelFiles(weights).options
        if Path(options).expanduser().resolve() != Path(expected).expanduser().resolve():
            raise ValueError(
                f"{source}: options_file: expected {expected}, beside the weights, found "
                f"{options}; put both files into one directory and pass it as --bilm"
            )
    return weights


def count_sentences(args: argparse.Namespace) -> int | None:
    """Return the number of sentences for the progress bar; `None` if it is unknown or not shown."""
    if not sys.stderr.isatty() or is_configuration(args) or _STANDARD_INPUT in args.input:
        return None
    files = _text_files(args)
    if any(file.format == "conll" for file in files):
        return None
    return sum(1 for file in files for _ in numbered_lines(file.path))


def _text_files(args: argparse.Namespace) -> list[SentenceFile]:
    from elmo_plugin.embedding.text import SentenceFile, input_format, token_column

    if args.engine == "ray" and _STANDARD_INPUT in args.input:
        raise ValueError("input: expected files, which Ray's workers can read, got standard input")
    paths = [
        path
        for pattern in args.input
        for path in ([pattern] if pattern == _STANDARD_INPUT else text_files(pattern))
    ]
    if paths.count(_STANDARD_INPUT) > 1:
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


def _configuration(args: argparse.Namespace) -> Params:
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


def _distinct(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    seen: set[bytes] = set()
    for sentence in sentences:
        assert sentence.character_ids is not None
        key = sentence.character_ids.numpy().tobytes()
        if key not in seen and len(sentence.tokens):
            yield sentence
        seen.add(key)
