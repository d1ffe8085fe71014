"""AllenNLP's data loaders and their worker processes."""

import random
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module, replace_for


@patch_module("allennlp.data.data_loaders.multiprocess_data_loader")
def share_lock_of_start_method(module: Any) -> Iterator[None]:
    """AllenNLP makes the progress bar's lock for forked processes; since 3.10.13, 3.11.5 and 3.12,
    Python refuses to share it with spawned ones."""
    yield
    processes = module.mp

    def with_lock(start: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(start)
        def start_workers(self: Any, queue: Any, ctx: Any) -> Any:
            module.mp = processes  # not the copy of the call before
            replace_for(module, "mp.RLock", ctx.RLock)
            return start(self, queue, ctx)

        return start_workers

    loader = module.MultiProcessDataLoader
    loader._start_instance_workers = with_lock(loader._start_instance_workers)
    loader._start_batch_workers = with_lock(loader._start_batch_workers)


@patch_module("allennlp.data.data_loaders.multiprocess_data_loader")
def seed_workers(module: Any) -> Iterator[None]:
    """A forked process draws other random numbers each time, so that a worker that shuffles
    (`max_instances_in_memory`) gives another order in each run."""
    yield
    loader = module.MultiProcessDataLoader
    start, work = loader._start_batch_workers, loader._batch_worker

    @wraps(start)
    def start_batch_workers(self: Any, *args: Any) -> Any:
        self._worker_seed = random.getrandbits(32)
        return start(self, *args)

    @wraps(work)
    def batch_worker(self: Any, worker_id: int, *args: Any) -> None:
        random.seed(self._worker_seed + worker_id)
        work(self, worker_id, *args)

    loader._start_batch_workers = start_batch_workers
    loader._batch_worker = batch_worker


@patch_module("allennlp.training.util")
def leave_out_null_paths(module: Any) -> Iterator[None]:
    """Training takes null for no data, but `build-vocab`, `find-lr` and distributed training read
    it for the vocabulary."""
    yield
    original = module.data_loaders_from_params

    @wraps(original)
    def data_loaders_from_params(params: Any, *args: Any, **kwargs: Any) -> Any:
        for name in ("validation_data_path", "test_data_path"):
            if name in params and params.params[name] is None:
                params.params.pop(name)
        return original(params, *args, **kwargs)

    module.data_loaders_from_params = data_loaders_from_params
