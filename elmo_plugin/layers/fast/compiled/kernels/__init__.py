"""Loops that numba compiles: several elementwise passes in one, without temporaries."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def remove_outdated_code(folder: Path) -> None:
    """
    Remove compiled code that is older than any source of the folder. Numba only checks the source
    of the compiled function, and not those of functions that it calls.
    """
    changed = max(file.stat().st_mtime for file in folder.glob("*.py"))
    for file in folder.glob("__pycache__/*.nb[ci]"):
        with suppress(OSError):  # removed by another process, or not ours to write
            if file.stat().st_mtime < changed:
                file.unlink()


remove_outdated_code(Path(__file__).parent)
