"""Loops that numba compiles: several elementwise passes in one, without temporaries."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any


def compile_again_if_damaged(cache: Any) -> None:
    """
    Ignore errors of a cache of compiled code, of which numba raises those of pickle and of a full
    disk: code that cannot be read is compiled again, and code that cannot be written is not stored.

    # Parameters

    cache : `numba.core.caching.FunctionCache`
        Changed in place.
    """
    load, save = cache.load_overload, cache.save_overload

    def load_if_whole(*key: Any) -> Any:
        try:
            return load(*key)
        except Exception:  # pickle raises any, for damaged bytes
            with suppress(OSError):
                cache.flush()
            return None

    def save_if_possible(*code: Any) -> None:
        with suppress(Exception):
            save(*code)

    cache.load_overload, cache.save_overload = load_if_whole, save_if_possible


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
