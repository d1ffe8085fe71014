"""Worker processes of AllenNLP's data loader."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module, replace_for


@patch_module("allennlp.data.data_loaders.multiprocess_data_loader")
def share_lock_of_start_method(module: Any) -> Iterator[None]:
    """AllenNLP makes the progress bar's lock for forked processes; since 3.10.13, 3.11.5 and 3.12,
    Python refuses to share it with spawned ones."""
    yield

    def with_lock(start: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(start)
        def start_workers(self: Any, queue: Any, ctx: Any) -> Any:
            replace_for(module, "mp.RLock", ctx.RLock)
            return start(self, queue, ctx)

        return start_workers

    loader = module.MultiProcessDataLoader
    loader._start_instance_workers = with_lock(loader._start_instance_workers)
    loader._start_batch_workers = with_lock(loader._start_batch_workers)
