"""Ending the processes of a distributed training."""

import inspect
import multiprocessing
import os
import signal
from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.commands.train")
def end_workers_with_training(module: Any) -> Iterator[None]:
    """If only the main process is interrupted, AllenNLP waits until its workers finish training. If
    it is killed, torch sends its workers SIGINT, which the background jobs of a shell ignore: they
    keep training."""
    yield
    train_model, train_worker = module.train_model, module._train_worker
    signature = inspect.signature(train_worker)

    @wraps(train_model)
    def interrupt_workers(*args: Any, **kwargs: Any) -> Any:
        others = set(multiprocessing.active_children())
        try:
            return train_model(*args, **kwargs)
        except (KeyboardInterrupt, module.common_util.SigTermReceived):
            for process in set(multiprocessing.active_children()) - others:
                if process.pid is not None and not process.daemon:
                    os.kill(process.pid, signal.SIGINT)
            raise

    @wraps(train_worker)
    def train_until_interrupted(*args: Any, **kwargs: Any) -> Any:
        if signature.bind(*args, **kwargs).arguments.get("world_size", 1) > 1:
            from elmo_plugin.common.processes import end_with_parent

            end_with_parent()
            signal.signal(signal.SIGINT, _interrupt_once)
        return train_worker(*args, **kwargs)

    module.train_model, module._train_worker = interrupt_workers, train_until_interrupted


def _interrupt_once(number: int, frame: Any) -> None:
    # A terminal interrupts all processes, and then the training interrupts its workers again,
    # while the first of them may be writing an archive.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
