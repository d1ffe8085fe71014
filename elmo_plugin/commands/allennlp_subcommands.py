"""Registers the commands with AllenNLP: `allennlp perplexity` is `elmo perplexity`."""

from __future__ import annotations

import argparse
from typing import Any

from allennlp.commands.subcommand import Subcommand

from elmo_plugin.commands.registry import COMMANDS
from elmo_plugin.common.errors import configuration_errors


class PluginCommand(Subcommand):
    """An AllenNLP subcommand that runs the command of the same name in `COMMANDS`."""

    def add_subparser(self, parser: Any) -> argparse.ArgumentParser:
        command = COMMANDS[self.name]
        subparser: argparse.ArgumentParser = parser.add_parser(self.name, help=command.help)
        command.configure(subparser)
        subparser.set_defaults(func=self._run)
        return subparser

    def _run(self, args: argparse.Namespace) -> None:
        with configuration_errors():
            COMMANDS[self.name].module.run(args)


for _name in COMMANDS:
    Subcommand.register(_name)(type(f"PluginCommand_{_name}", (PluginCommand,), {}))
