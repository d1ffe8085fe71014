"""Processes that a test starts."""

from __future__ import annotations

import os
from collections.abc import Callable


def run_in_another_process(run: Callable[[], object]) -> int:
    """Run a function in a fork of this process; return its exit status, 0 if it succeeded."""
    child = os.fork()
    if not child:
        try:
            run()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]
