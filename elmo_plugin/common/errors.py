"""From the errors of the floors below to the one that AllenNLP shows without a stack of calls."""

from collections.abc import Iterator
from contextlib import contextmanager

from allennlp.common.checks import ConfigurationError


@contextmanager
def configuration_errors() -> Iterator[None]:
    """`ValueError`s that leave the block become `ConfigurationError`s of the same text."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(str(error)) from error
