"""So that training works as it did, and warns only of what there is to do about."""

import inspect
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.patching import patch_module

# Warnings of what AllenNLP does itself, whatever the configuration: a distributed training tells
# its trainer its rank twice, and reports its progress.
EXPECTED_WARNINGS = {
    "allennlp.common.from_params": "Parameter local_rank for class",
    "allennlp.training.gradient_descent_trainer": "completed its entire epoch",
}


@patch_module(*EXPECTED_WARNINGS)
def leave_out_expected_warnings(module: Any) -> Iterator[None]:
    """A warning should mean that there is something to do."""
    yield
    expected = EXPECTED_WARNINGS[module.__name__]
    module.logger.addFilter(lambda record: expected not in str(record.msg))


@patch_module("allennlp.commands.train")
def end_processes_with_the_command(module: Any) -> Iterator[None]:
    """A command that alone is interrupted waits until its processes have trained to the end;
    where it is killed, they train on if a shell, that started it in the background, has had them
    ignore interrupts, by which torch tells them."""
    yield
    train_model, train_worker = module.train_model, module._train_worker
    parameters = inspect.signature(train_worker)

    @wraps(train_model)
    def interrupting(*args: Any, **kwargs: Any) -> Any:
        try:
            return train_model(*args, **kwargs)
        except (KeyboardInterrupt, module.common_util.SigTermReceived):
            for process in multiprocessing.active_children():
                if process.pid is not None and not process.daemon:
                    os.kill(process.pid, signal.SIGINT)
            raise

    @wraps(train_worker)
    def interrupted(*args: Any, **kwargs: Any) -> Any:
        if parameters.bind(*args, **kwargs).arguments.get("world_size", 1) > 1:
            from elmo_plugin.common.processes import end_with_parent

            end_with_parent()
            signal.signal(signal.SIGINT, _interrupt_once)
        return train_worker(*args, **kwargs)

    module.train_model, module._train_worker = interrupting, interrupted


def _interrupt_once(number: int, frame: Any) -> None:
    # A second comes from the command, where a terminal has interrupted them all, while the first
    # process writes an archive.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


@patch_module("allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers")
def reduce_on_plateau_quietly(module: Any) -> Iterator[None]:
    """AllenNLP always passes `verbose`, which torch warns of from 2.2 on and lacks from 2.7 on."""
    yield
    scheduler = module.torch.optim.lr_scheduler.ReduceLROnPlateau
    verbose = inspect.signature(scheduler).parameters.get("verbose")
    if verbose is not None and verbose.default is False:
        return
    original = scheduler.__init__

    @wraps(original)
    def __init__(self: Any, *args: Any, verbose: bool = False, **kwargs: Any) -> None:
        original(self, *args, **kwargs)

    scheduler.__init__ = __init__


@patch_module("allennlp")
def clip_sparse_gradients(module: Any) -> Iterator[None]:
    """torch's clipping, since it was fused, fails on the sparse gradients of sparse embeddings."""
    yield
    from torch.nn import utils

    utils.clip_grad_norm_ = over_stored_values(utils.clip_grad_norm_)
    utils.clip_grad_value_ = over_stored_values(utils.clip_grad_value_)


def over_stored_values(clip: Callable[..., Any]) -> Callable[..., Any]:
    """Has `clip` see, for a sparse gradient, its stored values: same norm, same memory."""
    import torch

    @wraps(clip)
    def clip_stored_values(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(parameters, torch.Tensor):
            parameters = [parameters]
        return clip([_with_dense_gradient(p) for p in parameters], *args, **kwargs)

    return clip_stored_values


def _with_dense_gradient(parameter: Any) -> Any:
    if parameter.grad is None or not parameter.grad.is_sparse:
        return parameter
    # Coalesced, so that no element is a sum of several stored values.
    parameter.grad = parameter.grad.coalesce()
    stand_in = parameter.new_empty(parameter.grad.values().shape)
    stand_in.grad = parameter.grad.values()
    return stand_in


@patch_module("allennlp.training.gradient_descent_trainer", "allennlp.nn.parallel.ddp_accelerator")
def name_the_device_of_amp(module: Any) -> Iterator[None]:
    """torch.cuda.amp warns, at every batch, that it has moved to torch.amp."""
    yield
    from torch import amp

    if hasattr(amp, "GradScaler"):
        module.amp = SimpleNamespace(
            autocast=lambda enabled: amp.autocast("cuda", enabled=enabled),
            GradScaler=partial(amp.GradScaler, "cuda"),
        )


@patch_module("allennlp.commands.train")
def record_pretrained_sizes(module: Any) -> Iterator[None]:
    """AllenNLP writes config.json before there is a model, and leaves `pretrained_file` out as it
    loads the archive: the sizes of a biLM that a training starts from must be in config.json."""
    yield
    original = module.train_model

    @wraps(original)
    def train_model(params: Any, *args: Any, **kwargs: Any) -> Any:
        model = params.params.get("model")
        is_bilm = isinstance(model, dict) and model.get("type") == "bilm"
        if is_bilm and isinstance(model.get("pretrained_file"), str):
            from elmo_plugin.models.pretrained import record_pretrained_config

            record_pretrained_config(params.params)
        return original(params, *args, **kwargs)

    module.train_model = train_model


@patch_module("allennlp.training.moving_average")
def go_on_averaging_when_resumed(module: Any) -> Iterator[None]:
    """AllenNLP goes on with the stored copies of the weights in place of those that are trained, so
    that, from there on, neither the averages change nor does the model get them."""
    yield

    def load_state_dict(self: Any, state: dict[str, Any]) -> None:
        for name, parameter in self._parameters:
            self._shadows[name] = state["shadows"][name].to(parameter.device)
            self._backups[name] = state["backups"][name].to(parameter.device)

    module.MovingAverage.load_state_dict = load_state_dict
