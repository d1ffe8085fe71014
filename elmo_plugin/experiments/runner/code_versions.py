"""The versions of the code that a training run had, in a file beside its directory."""

from __future__ import annotations

from pathlib import Path

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.reporting.provenance import code_version


def note_code_version(run: Path, resumed: bool) -> list[str]:
    """Note this version of the code, and return the versions since the training began."""
    versions = list(dict.fromkeys([*(noted_code_versions(run) if resumed else []), code_version()]))
    note = _note(run)
    note.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(note) as file:
        file.write_text("\n".join(versions) + "\n")
    return versions


def noted_code_versions(run: Path) -> list[str]:
    """Return the versions that `note_code_version` has noted."""
    note = _note(run)
    return note.read_text().splitlines() if note.exists() else []


def _note(run: Path) -> Path:
    return Path(f"{run}.commits")
