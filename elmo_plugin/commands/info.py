"""`elmo info`: describes a biLM, an archive, an index or vectors."""

from __future__ import annotations

import argparse
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
    from elmo_plugin.commands.describe import is_training

    return is_training(args.path)


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.commands.describe import describe

    found = describe(args.path)
    if args.json:
        print(to_json(found))
        return
    width = max(map(len, found))
    for name, value in found.items():
        print(f"{name.replace('_', ' '):{width}}  {_text(value)}")


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
