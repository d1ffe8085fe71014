"""The origin of a table: command, date, machine and version of the code."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from elmo_plugin.reporting.tables import Table


def with_provenance(table: Table) -> Table:
    """Add command, date, machine and version to a table's metadata, unless they are there."""
    program = Path(sys.argv[0])
    script = f"python {program.parent.name}/{program.name}"
    name = script if program.parent.name == "benchmarks" else "elmo"
    provenance = {
        "Command": f"`{name} {shlex.join(sys.argv[1:])}`",
        "Date": date.today().isoformat(),
        "Machine": machine(),
        "Code": code_version(),
    }
    missing = {key: value for key, value in provenance.items() if key not in table.metadata}
    return replace(table, metadata={**table.metadata, **missing})


def machine() -> str:
    """Hardware, threads and torch version, which affect time and the last digits."""
    import torch

    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return (
        f"{device}, {os.cpu_count()} cores, {torch.get_num_threads()} threads, "
        f"torch {torch.__version__}"
    )


def code_version() -> str:
    """The commit, if this file is part of a checkout; otherwise the package's version."""
    here = Path(__file__)
    git = ["git", "-C", str(here.parent)]
    try:
        # The installed package may lie inside another repository's checkout.
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], **_QUIET)
        commit = subprocess.run([*git, "describe", "--always"], **_QUIET).stdout.strip()
        # Tables that were just written do not change the code.
        status = [*git, "status", "--porcelain", "--untracked-files=no"]
        changed = subprocess.run([*status, "--", ":/", ":(top,exclude)results"], **_QUIET).stdout
        return f"commit {commit}{'-dirty' if changed else ''}"
    except (OSError, subprocess.CalledProcessError):
        return f"elmo_plugin {_installed_version()}"


def _installed_version() -> str:
    try:
        return version("elmo_plugin")
    except PackageNotFoundError:
        return "of unknown version"


_QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": True}
