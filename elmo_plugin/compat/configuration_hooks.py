"""Functions that complete a training run's configuration before AllenNLP writes config.json."""

from collections.abc import Callable
from typing import Any

Hook = Callable[[dict[str, Any]], None]
HOOKS: list[Hook] = []


def completes_configuration(function: Hook) -> Hook:
    """Register a function that changes a configuration in place."""
    HOOKS.append(function)
    return function
