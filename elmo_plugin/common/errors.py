"""Converts errors to AllenNLP's, shortens Jsonnet's, and finds where one was raised."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_MAX_MESSAGE = 600


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


def jsonnet_problem(error: Exception) -> str:
    """Return the message of Jsonnet's error and the innermost place of its stack."""
    message, _, stack = str(error).strip().partition("\n\t")
    place, _, _ = stack.partition("\t")
    # A line of a damaged file may be very long.
    shortened = message[:_MAX_MESSAGE]
    return f"{shortened} ({place.strip()})" if place else shortened


def raised_in(error: BaseException) -> str:
    """Return the name of the module that raised an error."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", ""))


@cache
def _error_type(base: type[Exception]) -> type[Exception]:
    class Error(base, ValueError):  # type: ignore[valid-type,misc]
        def __reduce__(self) -> tuple[type[Exception], tuple[str]]:
            return base, (str(self),)  # pickle finds no class within a function

    Error.__name__ = base.__name__
    return Error
