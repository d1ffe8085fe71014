"""The parsers of `elmo` and of this package's commands."""

from __future__ import annotations

import argparse
import difflib
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from elmo_plugin.commands import allennlp_commands
from elmo_plugin.commands.one_line_parser import OneLineParser
from elmo_plugin.commands.registry import (
    ANALYSIS_COMMANDS,
    BILM_COMMANDS,
    COMMANDS,
    EXAMPLE_PREFIX,
    Command,
)
from elmo_plugin.commands.versions import versions


def parse_command(name: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of one of this package's commands."""
    parser = OneLineParser(prog=f"elmo {name}", formatter_class=_HelpFormatter)
    COMMANDS[name].configure(parser)
    parser.add_argument(
        "--include-package",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="also import this package, for the classes that it registers with AllenNLP",
    )
    return parser.parse_args(arguments)


def parse_without_command(arguments: Sequence[str]) -> NoReturn:
    """Print help, versions or an error that suggests a command, and exit."""
    parser = OneLineParser(
        prog="elmo",
        usage="elmo [-h] [--version] COMMAND ...",
        description="ELMo (Peters et al. 2018): train, evaluate and use bidirectional language "
        "models (biLMs).",
        epilog=f"AllenNLP's commands, with this plugin loaded:\n"
        f"{_list_of(allennlp_commands.COMMANDS)}\n\n"
        f"biLMs and vectors:\n{_list_of(_help_of(BILM_COMMANDS))}\n\n"
        f"the paper's tables and figures, and more:\n{_list_of(_help_of(ANALYSIS_COMMANDS))}\n\n"
        "To train a biLM: elmo train training_configs/bilm/small.jsonnet -s runs/bilm\n"
        "See `elmo COMMAND --help` for the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print versions and exit")
    name = arguments[0] if arguments else ""
    if not name or name.startswith("-"):
        parser.parse_args(arguments)
        parser.error("expected a command, such as `elmo perplexity TEXT`")
    close = difflib.get_close_matches(name, [*COMMANDS, *allennlp_commands.COMMANDS], n=1)
    suggestion = f"; did you mean {close[0]!r}?" if close else ""
    parser.error(f"invalid choice: {name!r}{suggestion}")


def _help_of(commands: Mapping[str, Command]) -> dict[str, str]:
    return {name: command.help for name, command in commands.items()}


def _list_of(commands: Mapping[str, str]) -> str:
    return "\n".join(f"  {name:<17} {text}" for name, text in commands.items())


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(versions())
        parser.exit()


class _HelpFormatter(argparse.HelpFormatter):
    """
    Adds the default to the help of an argument that has one, and breaks no line at a hyphen nor
    within an example, which can be copied.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(EXAMPLE_PREFIX):
            return indent + text
        return super()._fill_text(text, width, indent)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        default = action.default
        if action.help is None or default is False or default in (None, "", [], argparse.SUPPRESS):
            return action.help
        if isinstance(default, (list, tuple)):
            default = " ".join(map(str, default))
        return f"{action.help} (default: {str(default).replace('%', '%%')})"
