"""The help of each command."""

from __future__ import annotations

import shlex

import pytest

from elmo_plugin.commands.parser import parse_command
from elmo_plugin.commands.registry import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_an_example_that_parses(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_command(name, ["--help"])
    assert ended.value.code == 0
    *_, last = capsys.readouterr().out.splitlines()
    program, command, *arguments = shlex.split(last.removeprefix("Example: "))
    assert (program, command) == ("elmo", name)
    parse_command(name, arguments)
