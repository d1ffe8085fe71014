"""Errors in the processes of a distributed training."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_MARK = "allennlp.common.checks.ConfigurationError: "


@patch_module("allennlp.commands.train")
def unwrap_worker_errors(module: Any) -> Iterator[None]:
    """torch wraps a worker's error into stack traces."""
    yield
    original = module.train_model

    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except module.mp.ProcessRaisedException as error:
            _, mark, message = str(error).rpartition(_MARK)
            if not mark or "Traceback" in message:
                raise
            raise module.ConfigurationError(message.strip()) from error
        except module.mp.ProcessExitedException as error:
            raise ChildProcessError(f"training: {error}") from error

    module.train_model = in_commands(checked, otherwise=original)
