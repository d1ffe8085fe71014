"""Converts errors to AllenNLP's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def configuration_errors() -> Iterator[None]:
    """
    Convert `ValueError` to AllenNLP's `ConfigurationError`, if AllenNLP has been imported.
    """
    try:
        yield
    except ValueError as error:
        checks = sys.modules.get("allennlp.common.checks")
        if checks is None:
            raise
        raise checks.ConfigurationError(str(error)) from error
