"""Warnings that a user can do nothing about."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import is_command_running
from elmo_plugin.compat.patching import patch_module

# A distributed training passes its rank to the trainer twice, and logs its progress as a warning.
_WARNINGS = {
    "allennlp.common.from_params": "Parameter local_rank for class",
    "allennlp.training.gradient_descent_trainer": "completed its entire epoch",
}


@patch_module(*_WARNINGS)
def hide_expected_warnings(module: Any) -> Iterator[None]:
    """AllenNLP's commands log these in every distributed training."""
    yield
    expected = _WARNINGS[module.__name__]
    module.logger.addFilter(
        lambda record: not is_command_running() or expected not in str(record.msg)
    )
