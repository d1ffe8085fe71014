"""Gradient clipping, learning rates and mixed precision with today's torch."""

from collections.abc import Callable, Iterator
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.accumulated_batches import batches_in_update
from elmo_plugin.compat.patching import patch_module, wrap


@patch_module("allennlp")
def clip_sparse_gradients(module: Any) -> Iterator[None]:
    """torch's fused gradient clipping fails on sparse gradients. AllenNLP's trainers and tests take
    these functions from torch."""
    yield
    from torch.nn import utils

    utils.clip_grad_norm_ = clip_stored_values(utils.clip_grad_norm_)
    utils.clip_grad_value_ = clip_stored_values(utils.clip_grad_value_)


def clip_stored_values(clip: Callable[..., Any]) -> Callable[..., Any]:
    """Make `clip` see the stored values of a sparse gradient: the same norm in the same memory."""

    @wraps(clip)
    def clip_parameters(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(parameters, "grad"):  # a single tensor
            parameters = [parameters]
        return clip([_with_dense_gradient(p) for p in parameters], *args, **kwargs)

    return clip_parameters


def _with_dense_gradient(parameter: Any) -> Any:
    if parameter.grad is None or not parameter.grad.is_sparse:
        return parameter
    # Coalesced, so that no element is a sum of several stored values.
    parameter.grad = parameter.grad.coalesce()
    substitute = parameter.new_empty(parameter.grad.values().shape)
    substitute.grad = parameter.grad.values()
    return substitute


@wrap(
    "allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers",
    "torch.optim.lr_scheduler.ReduceLROnPlateau",
)
def drop_verbose(original: Any, *args: Any, verbose: bool = False, **kwargs: Any) -> Any:
    """AllenNLP always passes `verbose`, which torch deprecated in 2.2 and removed in 2.7."""
    return original(*args, **kwargs)


@patch_module("allennlp.training.gradient_descent_trainer", "allennlp.nn.parallel.ddp_accelerator")
def name_device_of_amp(module: Any) -> Iterator[None]:
    """At every batch, torch.cuda.amp warns that it has moved to torch.amp."""
    yield
    from torch import amp

    module.amp = SimpleNamespace(
        autocast=lambda enabled: amp.autocast("cuda", enabled=enabled),
        GradScaler=partial(amp.GradScaler, "cuda"),
    )


@wrap("allennlp.training.callbacks.backward", "MixedPrecisionBackwardCallback.on_backward")
def divide_scaled_losses(
    original: Any, self: Any, trainer: Any, batch_outputs: Any, *args: Any, **kwargs: Any
) -> Any:
    """AllenNLP averages the losses of the batches of an update, but in mixed precision it adds them
    up."""
    loss = batch_outputs["loss"] / batches_in_update(trainer)
    return original(self, trainer, {**batch_outputs, "loss": loss}, *args, **kwargs)
