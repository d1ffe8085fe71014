"""How numbers came about: what every table says of its command, code and machine."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch


def provenance() -> dict[str, str]:
    """The facts of a table that this command makes."""
    program = Path(sys.argv[0])
    started = f"python {program.parent.name}/{program.name}"
    name = started if program.parent.name == "benchmarks" else "elmo"
    return {
        "Command": f"`{name} {shlex.join(sys.argv[1:])}`",
        "Machine": machine(),
        "Code": code_version(),
    }


def machine() -> str:
    """As far as it bears on time and on the last digits."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return (
        f"{device}, {os.cpu_count()} cores, {torch.get_num_threads()} threads, "
        f"torch {torch.__version__}"
    )


def code_version() -> str:
    """The commit, where this file is part of a checkout; else the package's version."""
    here = Path(__file__)
    git = ["git", "-C", str(here.parent)]
    try:
        # A checkout of something else may lie around an installed package.
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], **_QUIET)
        commit = subprocess.run([*git, "describe", "--always"], **_QUIET).stdout.strip()
        # Tables that were just written are no change of the code.
        status = [*git, "status", "--porcelain", "--untracked-files=no"]
        changed = subprocess.run([*status, "--", ":/", ":(top,exclude)results"], **_QUIET).stdout
        return f"commit {commit}{'-dirty' if changed else ''}"
    except (OSError, subprocess.CalledProcessError):
        return f"elmo_plugin {_installed_version()}"


def _installed_version() -> str:
    try:
        return version("elmo_plugin")
    except PackageNotFoundError:
        return "of no known version"


_QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": True}
