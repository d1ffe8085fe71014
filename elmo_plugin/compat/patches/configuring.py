"""So that what is wrong with a training's configuration is said in a line."""

from collections.abc import Iterator
from functools import wraps
from typing import Any, Optional

from elmo_plugin.compat.patching import patch_module

# What NumPy's generator and torch's can be started from.
_SEEDS = {"numpy_seed": range(2**32), "pytorch_seed": range(-(2**63), 2**64)}
_MARK = "allennlp.common.checks.ConfigurationError: "


@patch_module("allennlp.commands.train")
def check_what_training_starts_with(module: Any) -> Iterator[None]:
    """Without an epoch, AllenNLP fails when it has no weights to archive; with `distributed` not an
    object, when it looks into it; without a path, when it reads."""
    yield
    original = module.train_model

    @wraps(original)
    def train_model(params: Any, *args: Any, **kwargs: Any) -> Any:
        distributed, trainer = params.get("distributed"), params.get("trainer")
        if not isinstance(distributed, (module.Params, type(None))):
            raise module.ConfigurationError(
                "distributed: expected an object such as {'cuda_devices': [0, 1]}, "
                f"got {distributed!r}"
            )
        if distributed is not None:
            _check_distributed(distributed.as_dict(quiet=True))
        if params.get("train_data_path", "") is None:
            raise module.ConfigurationError("train_data_path: expected a path, found none")
        epochs = trainer.get("num_epochs") if isinstance(trainer, module.Params) else None
        if isinstance(epochs, int) and epochs < 1:
            raise module.ConfigurationError(
                f"trainer.num_epochs: expected at least 1, got {epochs}"
            )
        return original(params, *args, **kwargs)

    module.train_model = train_model


def _check_distributed(options: dict[str, Any]) -> None:
    """Before `--force` has removed anything."""
    from allennlp.common.checks import ConfigurationError

    devices, nodes = options.get("cuda_devices"), options.get("num_nodes", 1)
    if not isinstance(devices, list) or not isinstance(nodes, int) or len(devices) * nodes < 2:
        raise ConfigurationError(
            "distributed: expected cuda_devices, a list of two at least unless there are several "
            f"num_nodes, got {options!r}"
        )


@patch_module("allennlp.commands.train")
def show_errors_of_processes_as_those_of_one(module: Any) -> Iterator[None]:
    """torch wraps what is wrong into stacks of calls."""
    yield
    original = module.train_model

    @wraps(original)
    def train_model(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except module.mp.ProcessRaisedException as error:
            _, mark, message = str(error).rpartition(_MARK)
            if not mark or "Traceback" in message:
                raise
            raise module.ConfigurationError(message.strip()) from error
        except module.mp.ProcessExitedException as error:
            raise ChildProcessError(f"training: {error}") from error

    module.train_model = train_model


@patch_module("allennlp.common.util")
def name_seeds_that_are_none(module: Any) -> Iterator[None]:
    """Generators say what they expect, but not of which of three seeds."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.prepare_environment

    @wraps(original)
    def prepare_environment(params: Any) -> None:
        for name in ("random_seed", *_SEEDS):
            seed, allowed = params.get(name), _SEEDS.get(name)
            if seed is not None and not _is_integer(seed, allowed):
                limits = f" from {allowed[0]} to {allowed[-1]}" if allowed else ""
                raise ConfigurationError(f"{name}: expected an integer{limits}, got {seed!r}")
        original(params)

    module.prepare_environment = prepare_environment


def _is_integer(value: Any, allowed: Optional[range]) -> bool:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return False
    return allowed is None or number in allowed


@patch_module("allennlp.training.gradient_descent_trainer")
def name_the_trainer_of_a_wrong_value(module: Any) -> Iterator[None]:
    """Optimizers and schedulers of torch check their arguments by `ValueError`."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer.from_partial_objects.__func__

    @wraps(original)
    def from_partial_objects(cls: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(cls, *args, **kwargs)
        except ValueError as error:
            raise module.ConfigurationError(f"trainer: {error}") from error

    trainer.from_partial_objects = classmethod(from_partial_objects)
