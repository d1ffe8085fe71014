"""Errors in the processes of a distributed training."""

from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error

_MARK = "allennlp.common.checks.ConfigurationError: "


@wrap_in_commands("allennlp.commands.train", "train_model")
def unwrap_worker_errors(original: Any, *args: Any, **kwargs: Any) -> Any:
    """torch wraps a worker's error into stack traces."""
    from torch.multiprocessing import ProcessExitedException, ProcessRaisedException

    try:
        return original(*args, **kwargs)
    except ProcessRaisedException as error:
        _, mark, message = str(error).rpartition(_MARK)
        if not mark or "Traceback" in message:
            raise
        raise configuration_error(message.strip()) from error
    except ProcessExitedException as error:
        raise ChildProcessError(f"training: {error}") from error
