"""Converts errors to AllenNLP's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def configuration_errors() -> Iterator[None]:
    """
    Convert `ValueError` to AllenNLP's `ConfigurationError`, if AllenNLP has been imported. The new
    error is a `ValueError`, too.
    """
    try:
        yield
    except ValueError as error:
        checks = sys.modules.get("allennlp.common.checks")
        if checks is None:
            raise
        raise _error_type(checks.ConfigurationError)(str(error)) from error


@cache
def _error_type(base: type[Exception]) -> type[Exception]:
    class Error(base, ValueError):  # type: ignore[valid-type,misc]
        def __reduce__(self) -> tuple[type[Exception], tuple[str]]:
            return base, (str(self),)  # pickle finds no class within a function

    Error.__name__ = base.__name__
    return Error
