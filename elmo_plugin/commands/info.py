"""`elmo info`: describes a biLM, an archive, an index or vectors."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from elmo_plugin.commands import arguments
from elmo_plugin.common.json_text import to_json

DESCRIPTION = """Print what a path holds: the sizes and checksum of a biLM; the model and
    metrics of a training run; the lines and dimensions of vectors; the text of an index."""
EXAMPLE = "elmo info built-in"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        type=arguments.path,
        help="built-in, a directory or file of a biLM, a model.tar.gz, the serialization directory "
        "of a training run, what `elmo embed` wrote, or a corpus index",
    )
    arguments.add_json_argument(parser)


def needs_allennlp(args: argparse.Namespace) -> bool:
    from elmo_plugin.commands.describe import needs_allennlp

    return needs_allennlp(args.path)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.commands.describe import describe

    found = describe(args.path)
    if args.json:
        print(to_json(found))
        return
    rows = dict(_rows(found))
    width = max(map(len, rows))
    for name, text in rows.items():
        print(f"{name:{width}}  {text}")


def _rows(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield names and texts; an object's values have rows of their own, and None has none."""
    for name, value in values.items():
        name = prefix + name.replace("_", " ")
        if isinstance(value, Mapping):
            yield from _rows(value, f"{name}, ")
        elif isinstance(value, int) and not isinstance(value, bool):
            yield name, f"{value:,}"
        elif value is not None:
            yield name, str(value)
