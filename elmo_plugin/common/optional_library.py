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
        raise ModuleNotFoundError(missing_library(module, extra), name=module) from None


def missing_library(module: str, extra: str) -> str:
    """Return a message that says how to install a library. This package is not on PyPI."""
    return (
        f"this needs {module}, which is not installed; in a clone of elmo_plugin: "
        f"pip install '.[{extra}]'"
    )
