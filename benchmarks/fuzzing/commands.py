"""The `elmo` command, run in this process."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from elmo_plugin.__main__ import main
from fuzzing.kind import NotFinite, Refused


def elmo(*arguments: object) -> str:
    """
    Run a command and return what it printed.

    # Raises

    `Refused` : the command exited with an error, which is the message.
    """
    out, err = io.StringIO(), io.StringIO()
    command = ["elmo", *map(str, arguments)]
    # Plugins are loaded already, and searching for them is slow.
    plugins = mock.patch("allennlp.commands.import_plugins")
    with mock.patch.object(sys, "argv", command), plugins:
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main()
        except SystemExit as end:
            if end.code not in (0, None):
                raise Refused(end.code if isinstance(end.code, str) else err.getvalue()) from end
    return out.getvalue()


def check_printed(text: str, what: str) -> None:
    """
    Check that a command printed no NaN or infinity.

    # Raises

    `NotFinite` : it printed some.
    """
    if {"nan", "inf", "-inf"} & set(text.lower().replace(",", " ").split()):
        raise NotFinite(f"{what}: expected finite numbers, printed {text!r}")
