"""Finds where an error was raised."""

from __future__ import annotations

import traceback


def raised_in(error: BaseException) -> str:
    """Return the name of the module that raised an error."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", ""))
