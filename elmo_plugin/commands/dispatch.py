"""Runs a command: one of this package, or one of AllenNLP's with this plugin loaded."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_plugin.commands import allennlp_commands
from elmo_plugin.commands.parser import parse_command, parse_without_command
from elmo_plugin.commands.registry import COMMANDS


def run_command(arguments: Sequence[str]) -> None:
    """
    Parse and run a command. Only the module of that command is imported, and AllenNLP only where it
    is needed.
    """
    name = arguments[0] if arguments else ""
    if name in COMMANDS:
        _run(name, arguments[1:])
    elif _may_be_allennlps(name):
        allennlp_commands.run_allennlp_command()
    else:
        parse_without_command(arguments)


def _run(name: str, arguments: Sequence[str]) -> None:
    args = parse_command(name, arguments)
    module = COMMANDS[name].module
    if args.include_package or getattr(module, "needs_allennlp", _always)(args):
        with allennlp_commands.plugins(args.include_package):
            module.run(args)
    else:
        module.run(args)


def _may_be_allennlps(name: str) -> bool:
    if name in allennlp_commands.COMMANDS:
        return True
    return name[:1] not in ("", "-") and allennlp_commands.has_other_plugins()


def _always(args: object) -> bool:
    return True
