"""AllenNLP's data loaders and their worker processes."""

import random
from typing import Any

from elmo_plugin.compat.patching import replace_for, wrap

_LOADERS = "allennlp.data.data_loaders.multiprocess_data_loader"


@wrap(_LOADERS, "MultiProcessDataLoader._start_instance_workers")
@wrap(_LOADERS, "MultiProcessDataLoader._start_batch_workers")
def share_lock_of_start_method(original: Any, self: Any, queue: Any, ctx: Any) -> Any:
    """AllenNLP makes the progress bar's lock for forked processes; since 3.10.13, 3.11.5 and 3.12,
    Python refuses to share it with spawned ones."""
    from allennlp.data.data_loaders import multiprocess_data_loader as module
    from torch import multiprocessing

    replace_for(module, "mp", multiprocessing)  # in place of the copy of the call before
    replace_for(module, "mp.RLock", ctx.RLock)
    return original(self, queue, ctx)


@wrap(_LOADERS, "MultiProcessDataLoader._start_batch_workers")
def draw_seed_of_workers(original: Any, self: Any, *args: Any) -> Any:
    """A forked process draws other random numbers each time, so that a worker that shuffles
    (`max_instances_in_memory`) gives another order in each run."""
    self._worker_seed = random.getrandbits(32)
    return original(self, *args)


@wrap(_LOADERS, "MultiProcessDataLoader._batch_worker")
def seed_workers(original: Any, self: Any, worker_id: int, *args: Any) -> None:
    """Seed each worker with the number that the patch above has drawn, and its own number."""
    random.seed(self._worker_seed + worker_id)
    original(self, worker_id, *args)


@wrap("allennlp.training.util", "data_loaders_from_params")
def leave_out_null_paths(original: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
    """Training takes null for no data, but `build-vocab`, `find-lr` and distributed training read
    it for the vocabulary."""
    for name in ("validation_data_path", "test_data_path"):
        if name in params and params.params[name] is None:
            params.params.pop(name)
    return original(params, *args, **kwargs)
