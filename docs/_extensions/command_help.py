"""The directive `command-help`: what `elmo COMMAND --help` prints."""

from __future__ import annotations

import contextlib
import io
import os
from unittest import mock

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from elmo_plugin.commands.dispatch import run_command


def help_of(command: str) -> str:
    """Return the help of a command, or of `elmo` itself for the empty string."""
    output = io.StringIO()
    with (
        mock.patch.dict(os.environ, COLUMNS="88", NO_COLOR="1"),
        contextlib.redirect_stdout(output),
        contextlib.suppress(SystemExit),
    ):
        run_command([*command.split(), "--help"])
    return output.getvalue()


class CommandHelp(SphinxDirective):
    """
    Shows the help of the command in its argument.

        ```{command-help} perplexity
        ```
    """

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        command = "".join(self.arguments)
        text = help_of(command)
        if not text.startswith("usage: elmo"):
            raise self.error(f"elmo {command}: expected its help, got {text!r:.80}")
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
