"""The origin of a table: command, date, machine and version of the code."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import cache
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
        "Command": f"`{name} {' '.join(map(_quoted, sys.argv[1:]))}`",
        "Date": date.today().isoformat(),
        "Machine": machine(),
        "Code": code_version(),
    }
    metadata = {**table.metadata, **provenance, **table.metadata}
    draft = any(_DIRTY in str(metadata.get(key)) for key in ("Code", TRAINED_BY))
    return replace(
        table,
        title=f"{'Draft: ' if draft else ''}{table.title}",
        metadata=metadata,
    )


def check_committed(draft: bool = False, prefix: str = "") -> None:
    """
    Check that this code has no uncommitted changes.

    # Parameters

    draft : `bool`, optional (default = `False`)
        Allow changes that are not committed.
    prefix : `str`, optional
        Beginning of the error.

    # Raises

    `ValueError` : the code has changes that are not committed.
    """
    version = code_version()
    if version.endswith(_DIRTY) and not draft:
        raise ValueError(
            f"{prefix}expected code whose changes are all committed, found {version}; commit them, "
            "or mark the table as a draft (--draft)"
        )


def check_trained_by_committed(
    commits: Iterable[str], draft: bool = False, prefix: str = ""
) -> None:
    """
    Check the code that trained or scored stored runs.

    # Parameters

    commits : `Iterable[str]`
        Versions of the code, see `code_version`.
    draft, prefix
        See `check_committed`.

    # Raises

    `ValueError` : a version with changes that were not committed.
    """
    changed = sorted(commit for commit in commits if commit.endswith(_DIRTY))
    if changed and not draft:
        raise ValueError(
            f"{prefix}expected training runs by code whose changes were all committed, found "
            f"{', '.join(changed)}; remove these runs to repeat them, or mark the table as a "
            "draft (--draft)"
        )


def machine() -> str:
    """
    Describe processor, GPU if there is one, threads and torch version, which affect time and the
    last digits.
    """
    import torch

    device = f"{processor()} ({torch.backends.cpu.get_cpu_capability()}{_bfloat16()})"
    if torch.cuda.is_available():
        device = f"{torch.cuda.get_device_name()}, {device}"
    return (
        f"{device}, {os.cpu_count()} cores, {torch.get_num_threads()} threads, "
        f"torch {torch.__version__}"
    )


def _quoted(argument: str) -> str:
    """Quote an argument for a shell, with double quotes if it has single ones alone."""
    if "'" in argument and not set(argument) & set('"$`!\\'):
        return f'"{argument}"'
    return shlex.quote(argument)


def processor() -> str:
    """Return the model of the CPU where Linux names it; otherwise its architecture."""
    return _cpu_information("model name") or platform.machine()


def _bfloat16() -> str:
    """Return the CPU's instructions for bfloat16, as Linux names them."""
    flags = _cpu_information("flags").split()
    return "".join(f", {name}" for name in ("avx512_bf16", "amx_bf16") if name in flags)


def _cpu_information(name: str) -> str:
    """Return a field of the first CPU; "" if there is none."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")


@cache
def code_version() -> str:
    """
    Return the version of this package, see `version_of`, at the first call: commands call this as
    they start, since later changes of the checkout are not part of the code that runs.
    """
    return version_of(Path(__file__))


def version_of(file: Path) -> str:
    """
    Return the commit of the checkout that a file is in; if in none, the package's version. If git
    cannot read the checkout, its code counts as changed.
    """
    git = ["git", "-C", str(file.parent)]
    try:
        # The installed package may lie inside another repository's checkout.
        subprocess.run([*git, "ls-files", "--error-unmatch", file.name], **_QUIET)
        commit = subprocess.run([*git, "describe", "--always"], **_QUIET).stdout.strip()
        status = [*git, "status", "--porcelain"]
        # Tables that were just written do not change the code.
        code = ["--untracked-files=no", "--", ":/", ":(top,exclude)results"]
        changed = subprocess.run([*status, *code], **_QUIET).stdout
        # A new module does, in the directory of the package only.
        folder = subprocess.run([*git, "rev-parse", "--show-prefix"], **_QUIET).stdout.strip()
        package = ["--untracked-files=all", "--", f":/{folder.partition('/')[0]}"]
        changed += subprocess.run([*status, *package], **_QUIET).stdout if folder else ""
        return f"commit {commit}{_DIRTY if changed else ''}"
    except (OSError, subprocess.CalledProcessError) as error:
        untracked = isinstance(error, subprocess.CalledProcessError) and error.returncode == 1
        # With GIT_DIR, git reads another repository.
        if not untracked and _is_checkout(file) and "GIT_DIR" not in os.environ:
            return f"unknown commit{_DIRTY}"
        return f"elmo_plugin {_installed_version()}"


def _is_checkout(file: Path) -> bool:
    """Return True if the package that a file is in lies at the top of a checkout."""
    packages = [folder for folder in file.parents if (folder / "__init__.py").exists()]
    return bool(packages) and (packages[-1].parent / ".git").exists()


def _installed_version() -> str:
    try:
        return version("elmo_plugin")
    except PackageNotFoundError:
        return "of unknown version"


TRAINED_BY = "Trained and scored by"
"""Key of the metadata for the versions of the code that trained a table's models."""
_DIRTY = "-dirty"
_QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": True}
