"""Files written atomically."""

from __future__ import annotations

from pathlib import Path

from elmo_plugin.common.atomic_write import atomic_write


def write(path: Path, text: str = "new") -> None:
    with atomic_write(path) as temporary:
        temporary.write_text(text)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
