"""The command line as a user gives it."""

import sys

import pytest
from allennlp import commands
from allennlp.commands import main as run_command

from elmo_plugin.__main__ import main


def elmo(monkeypatch: pytest.MonkeyPatch, *command: object) -> None:
    """In this process, which has AllenNLP loaded."""
    monkeypatch.setattr(sys, "argv", ["elmo", *map(str, command)])
    run_command(prog="elmo")


def elmo_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: object
) -> str:
    """The one line that a command ends with, in this process."""
    monkeypatch.setattr(sys, "argv", ["elmo", *map(str, command)])
    # What `main` replaces, to be put back.
    monkeypatch.setattr(commands, "ArgumentParserWithDefaults", commands.ArgumentParserWithDefaults)
    with pytest.raises(SystemExit) as ended:
        main()
    error = ended.value.code
    if not isinstance(error, str):  # which Python would print
        assert error == 2
        error = capsys.readouterr().err.splitlines()[-1]
    assert len(error.splitlines()) == 1
    return error
