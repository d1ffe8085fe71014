"""README.md as tests need it: code blocks, inline commands, and what bash makes of them."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PROGRAMS = ("elmo", "allennlp", "python", "make", "pip", "git", "python3", "head", "tail")
"""Programs that `record` replaces."""

_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_INLINE = re.compile(r"`([^`]+)`")
_COMMAND = re.compile(
    r"(\w+=\S+ )*(elmo [\w-]+|allennlp|python|pip|make|\.venv/bin/\w+) \S|benchmarks/\w+\.(sh|py)\b"
)
_RECORDER = """#!/bin/sh
printf '%s\\0' "$#" "${0#"$SHIMS/"}" "$@" >>"$RECORD"
"""


class Block(NamedTuple):
    """A fenced code block under the heading that it follows."""

    heading: str
    language: str
    text: str


def blocks(markdown: str, language: str) -> list[Block]:
    """Return the fenced code blocks in a language."""
    found = []
    for match in _BLOCK.finditer(markdown):
        headings = _HEADING.findall(_BLOCK.sub("", markdown[: match.start()]))
        found.append(Block(headings[-1], match["language"], match["text"]))
    return [block for block in found if block.language == language]


def inline_commands(markdown: str) -> list[str]:
    """Return the unique commands with arguments that stand in the text, in order."""
    spans = (" ".join(span.split()) for span in _INLINE.findall(_BLOCK.sub("", markdown)))
    return list(dict.fromkeys(span for span in spans if _COMMAND.match(span)))


def record(script: str, directory: Path, scripts: Sequence[str] = ()) -> list[list[str]]:
    """
    Run a shell script in which each program only records its arguments, so that bash expands
    variables, globs and redirections, and nothing is started.

    # Parameters

    script : `str`
    directory : `Path`
        The working directory.
    scripts : `Sequence[str]`, optional (default = `()`)
        Further programs, as paths relative to the working directory.

    # Returns

    `List[List[str]]` : the command lines.
    """
    shims, log = directory / ".shims", directory / ".commands"
    shims.mkdir(exist_ok=True)
    for path in (*(shims / name for name in PROGRAMS), *(directory / name for name in scripts)):
        path.parent.mkdir(exist_ok=True)
        path.write_text(_RECORDER)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    log.write_text("")
    # Activating a real environment would hide the programs.
    environment_file = directory / ".venv/bin/activate"
    environment_file.parent.mkdir(parents=True, exist_ok=True)
    environment_file.touch()
    environment = {
        **os.environ,
        "PATH": f"{shims}:{os.environ['PATH']}",
        "RECORD": str(log),
        "SHIMS": str(shims),
    }
    subprocess.run(["bash", "-euc", script], cwd=directory, env=environment, check=True)
    return _parse(log.read_text())


def _parse(text: str) -> list[list[str]]:
    words = text.split("\0")[:-1]
    commands = []
    while words:
        end = int(words[0]) + 2
        commands.append(words[1:end])
        words = words[end:]
    return commands
