"""Checks the arguments of AllenNLP's own commands, which AllenNLP does not."""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from allennlp.commands import ArgumentParserWithDefaults

from elmo_plugin.commands import arguments
from elmo_plugin.commands.one_line_parser import OneLineParser
from elmo_plugin.weights.input_files import check_not_read


class CheckedParser(OneLineParser, ArgumentParserWithDefaults):
    """AllenNLP's parser with checks of what it has parsed."""

    def add_argument(self, *args: Any, **kwargs: Any) -> Any:
        if "--overrides" in args:  # AllenNLP's example has no effect, and objects replace
            kwargs["help"] = _OVERRIDES
        parent: Any = super()  # AllenNLP's method is untyped
        return parent.add_argument(*args, **kwargs)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        namespace, rest = super().parse_known_args(*args, **kwargs)
        if rest:  # otherwise, the parser of all commands would name its own help
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        given = {name: str(value) for name, value in vars(namespace).items() if value is not None}
        for name, check in _CHECKS.items():
            if name in given:
                try:
                    check(given[name])
                except argparse.ArgumentTypeError as error:
                    self.error(f"argument {_display_name(name)}: {error}")
        rates = [float(given[name]) for name in ("start_lr", "end_lr") if name in given]
        if len(rates) == 2 and rates[0] >= rates[1]:
            self.error(f"argument --start-lr: expected less than --end-lr, {given['end_lr']}")
        # AllenNLP does not declare the option as required, but fails without it.
        if "metrics_filename" in given and "keys" not in given:
            self.error("the following arguments are required: -k/--keys")
        if getattr(namespace, "silent", False) and "output_file" not in given:
            self.error("argument --silent: expected --output-file, found none")
        try:
            _check_files(given)
        except ValueError as error:
            self.error(str(error))
        return namespace, rest


_OVERRIDES = """Jsonnet of values that replace those of the configuration, by their path:
    '{"dataset_reader.max_instances": 100}'. An object replaces the whole object at its path."""


def _check_files(given: dict[str, str]) -> None:
    """
    Check the files that a command reads and writes.

    # Raises

    `ValueError` : a file to write is also read or written twice, or not one output file for each
    input of `evaluate`.
    """
    files = {name: given[name].split(",") for name in (*_READ, *_WRITTEN) if name in given}
    read = [file for name in _READ for file in files.get(name, ())]
    written = [os.path.realpath(file) for name in _WRITTEN for file in files.get(name, ())]
    written = [file for file in written if os.path.isfile(file) or not os.path.exists(file)]
    if len(set(written)) < len(written):
        raise ValueError(f"expected a different file for each output, got {', '.join(written)}")
    for name in _WRITTEN:
        for file in map(Path, files.get(name, ())):
            check_not_read(file, read)
            if name in _WRITTEN_LAST and not file.parent.is_dir():
                raise ValueError(f"{file}: expected the directory {file.parent}, found none")
    if given.get("auto_names") == "NONE":
        for name in _WRITTEN:
            if name in files and len(files[name]) != len(_data_sets(given["input_file"])):
                raise ValueError(
                    f"argument {_display_name(name)}: expected a file for each of "
                    f"{given['input_file']}, got {given[name]}"
                )


def _display_name(name: str) -> str:
    return name if name in _POSITIONAL else f"--{name.replace('_', '-')}"


def _data_sets(text: str) -> list[Any]:
    """The datasets that `evaluate` is given: paths, or JSON."""
    try:
        return json.loads(f"[{text}]")
    except ValueError:
        return text.split(",")


def _positive(text: str) -> None:
    if not 0 < float(text) < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")


def _object(text: str) -> None:
    try:
        content = json.loads(text or "{}")
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text!r}")


def _input_files(text: str) -> None:
    # AllenNLP would read from the file descriptor of that number.
    if not text or not all(isinstance(data_set, (str, dict)) for data_set in _data_sets(text)):
        raise argparse.ArgumentTypeError(f"expected a path, got {text!r}")


def _output_files(text: str) -> None:
    for file in text.split(","):
        arguments.output_file(file)


# By argument; each means the same in every command.
_CHECKS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("archive_file", "weights_file", "param_path"), arguments.path),
    **dict.fromkeys(("output_file", "predictions_output_file", "output_path"), _output_files),
    **dict.fromkeys(("batch_size", "num_batches"), arguments.positive_int),
    **dict.fromkeys(("start_lr", "end_lr", "stopping_factor"), _positive),
    **dict.fromkeys(("predictor_args", "embedding_sources_mapping"), _object),
    "serialization_dir": arguments.output_directory,
    "input_file": _input_files,
    "cuda_device": arguments.cuda_device,
}
_POSITIONAL = ("archive_file", "input_file", "param_path", "output_path")
_READ = ("archive_file", "input_file", "weights_file", "param_path")
# Opened after the work is done; their directories are not made.
_WRITTEN_LAST = ("output_file", "predictions_output_file")
_WRITTEN = (*_WRITTEN_LAST, "output_path")
