"""Imports of libraries that are optional extras."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def optional_library(module: str, extra: str) -> Iterator[None]:
    """
    Name the command that installs a library if importing it in the block fails.

    # Parameters

    module : `str`
        The library's top module.
    extra : `str`
        This package's extra that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(
            f"this needs {module}, which is not installed: pip install 'elmo_plugin[{extra}]'",
            name=module,
        ) from None
