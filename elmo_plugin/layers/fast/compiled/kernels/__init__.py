"""Loops that numba compiles: several elementwise passes in one, without temporaries."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def remove_outdated_code(sources: Path, cache: Path) -> None:
    """
    Remove compiled code that is older than any source. Numba only checks the source of the compiled
    function, and not those of functions that it calls.

    # Parameters

    sources : `Path`
        Folder of the sources.
    cache : `Path`
        Folder of the compiled code: `__pycache__` beside the sources, one in `NUMBA_CACHE_DIR`, or
        the user's.
    """
    changed = max(file.stat().st_mtime for file in sources.glob("*.py"))
    for file in cache.glob("*.nb[ci]"):
        with suppress(OSError):  # removed by another process, or not ours to write
            if file.stat().st_mtime < changed:
                file.unlink()
