"""The command line as a user gives it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

import pytest
from allennlp import commands

from elmo_plugin.__main__ import main

# Runs a command, then reports to a file what it imported and how much CPU time it took.
_REPORT = """
import json, sys, time

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
sys.path.remove("")  # as in the installed script
sys.argv = ["elmo", *{command}]
try:
    {code}
finally:
    report = dict(modules=sorted(sys.modules), cpu_seconds=time.process_time())
    open({file!r}, "w").write(json.dumps(report))
"""
RUN_MAIN = "from elmo_plugin.__main__ import main; main()"


@dataclass
class Finished:
    """A Python process that has ended."""

    status: int
    output: str
    errors: str
    modules: set[str]
    """Names of the modules that it imported."""
    cpu_seconds: float

    @property
    def packages(self) -> set[str]:
        """The modules' top-level packages."""
        return {name.partition(".")[0] for name in self.modules}


def run_process(
    folder: Path, *command: object, code: str = RUN_MAIN, blocked: Set[str] = frozenset()
) -> Finished:
    """Run `elmo`, or other code, in a process of its own in which some packages are missing."""
    report = folder / "report.json"
    script = _REPORT.format(
        blocked=set(blocked), command=[*map(str, command)], code=code, file=str(report)
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True
    )
    found = json.loads(report.read_text())
    modules = set(found["modules"])
    return Finished(ended.returncode, ended.stdout, ended.stderr, modules, found["cpu_seconds"])


def elmo(monkeypatch: pytest.MonkeyPatch, *command: object) -> None:
    """Run `elmo` in this process. A user's error raises `SystemExit` with one line."""
    monkeypatch.setattr(sys, "argv", ["elmo", *map(str, command)])
    # What `main` replaces, to be restored.
    monkeypatch.setattr(commands, "ArgumentParserWithDefaults", commands.ArgumentParserWithDefaults)
    main()


def elmo_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: object
) -> str:
    """Run `elmo` in this process; return the one line that it ends with."""
    with pytest.raises(SystemExit) as ended:
        elmo(monkeypatch, *command)
    error = ended.value.code
    if not isinstance(error, str):  # which Python would print
        assert error == 2
        error = capsys.readouterr().err.rstrip("\n")
    assert len(error.splitlines()) == 1
    return error
