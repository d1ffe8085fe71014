"""The command line as a user gives it."""

import sys

import pytest
from allennlp.commands import main as run_command


def elmo(monkeypatch: pytest.MonkeyPatch, *command: object) -> None:
    """In this process, which has AllenNLP loaded."""
    monkeypatch.setattr(sys, "argv", ["elmo", *map(str, command)])
    run_command(prog="elmo")
