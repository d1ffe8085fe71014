"""Ending the processes of a distributed training."""

import inspect
import multiprocessing
import os
import signal
from typing import Any

from elmo_plugin.compat.patching import wrap


@wrap("allennlp.commands.train", "train_model")
def end_workers_with_training(original: Any, *args: Any, **kwargs: Any) -> Any:
    """If only the main process is interrupted, AllenNLP waits until its workers finish training."""
    from allennlp.common.util import SigTermReceived

    others = set(multiprocessing.active_children())
    try:
        return original(*args, **kwargs)
    except (KeyboardInterrupt, SigTermReceived):
        for process in set(multiprocessing.active_children()) - others:
            if process.pid is not None and not process.daemon:
                os.kill(process.pid, signal.SIGINT)
        raise


@wrap("allennlp.commands.train", "_train_worker")
def end_with_main_process(original: Any, *args: Any, **kwargs: Any) -> Any:
    """If the main process is killed, torch sends its workers SIGINT, which the background jobs of a
    shell ignore: they keep training."""
    arguments = inspect.signature(original).bind(*args, **kwargs).arguments
    if arguments.get("world_size", 1) > 1:
        from elmo_plugin.common.processes import end_with_parent

        end_with_parent()
        signal.signal(signal.SIGINT, _interrupt_once)
    return original(*args, **kwargs)


def _interrupt_once(number: int, frame: Any) -> None:
    # A terminal interrupts all processes, and then the training interrupts its workers again,
    # while the first of them may be writing an archive.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
