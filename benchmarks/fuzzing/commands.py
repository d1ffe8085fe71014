"""The `elmo` command in this process, which has AllenNLP loaded."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from elmo_plugin.__main__ import main
from fuzzing.kind import NotFinite, Refused


def elmo(*arguments: object) -> str:
    """
    What a command prints.

    # Raises

    `Refused` : it exited with an error; says what it printed.
    """
    out, err = io.StringIO(), io.StringIO()
    command = ["elmo", *map(str, arguments)]
    # Plugins are loaded; looking for them again takes longer than all the rest.
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
    # Raises

    `NotFinite` : NaN or infinity is among what was printed.
    """
    if {"nan", "inf", "-inf"} & set(text.lower().replace(",", " ").split()):
        raise NotFinite(f"{what}: expected finite numbers, printed {text!r}")
