"""Configurations of training runs."""

from pathlib import Path
from typing import Any, Optional

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.recovery.directory import has_checkpoint, is_finished

_AT_LEAST_1 = ("num_epochs", "num_gradient_accumulation_steps", "patience")
# The ranges that NumPy and torch accept.
_SEEDS = {"numpy_seed": range(2**32), "pytorch_seed": range(-(2**63), 2**64)}


@wrap_in_commands("allennlp.commands.train", "train_model")
def check_training_configuration(original: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
    """AllenNLP fails late, with other errors, without epochs, a path, or devices."""
    from allennlp.common import Params

    _check_distributed(params)
    if params.get("train_data_path", "") is None:
        raise configuration_error("train_data_path: expected a path, found none")
    for name in ("train_data_path", "validation_data_path", "test_data_path"):
        if isinstance(params.get(name), (int, float)):
            raise configuration_error(f"{name}: expected a path, got {params[name]}")
    trainer = params.get("trainer")
    for name in _AT_LEAST_1 if isinstance(trainer, Params) else ():
        value = trainer.get(name)
        if isinstance(value, int) and value < 1:
            raise configuration_error(f"trainer.{name}: expected at least 1, got {value}")
    return original(params, *args, **kwargs)


def _check_distributed(params: Any) -> None:
    from allennlp.common import Params

    distributed = params.get("distributed")
    if distributed is None:
        return
    if not isinstance(distributed, Params):
        raise configuration_error(
            "distributed: expected an object such as {'cuda_devices': [0, 1]}, "
            f"got {distributed!r}"
        )
    options = distributed.as_dict(quiet=True)
    devices, nodes = options.get("cuda_devices"), options.get("num_nodes", 1)
    if not isinstance(devices, list) or not isinstance(nodes, int) or len(devices) * nodes < 2:
        raise configuration_error(
            "distributed: expected cuda_devices, a list of at least two unless there are several "
            f"num_nodes, got {options!r}"
        )
    if params.get("evaluate_on_test") and params.get("test_data_path"):
        raise configuration_error(
            "evaluate_on_test: expected false with distributed training, as AllenNLP evaluates in "
            "one process while its metrics wait for the others, got true; run `elmo evaluate` on "
            "the trained model"
        )


@wrap_in_commands("allennlp.commands.find_learning_rate", "find_learning_rate_model")
def require_trainer(original: Any, params: Any, *args: Any, **kwargs: Any) -> None:
    """`find-lr` reads the device from the trainer before it checks anything."""
    from allennlp.common import Params

    trainer = params.get("trainer")
    if not isinstance(trainer, Params):
        raise configuration_error(f"trainer: expected an object, got {trainer!r:.80}")
    original(params, *args, **kwargs)


@wrap_in_commands("allennlp.training.util", "create_serialization_dir")
def name_changed_settings(
    original: Any, params: Any, serialization_dir: Any, recover: bool, force: bool
) -> None:
    """AllenNLP does not say that `--force` replaces a training run, and recommends `--recover` also
    where there is no checkpoint. With `--recover`, it does not say which configuration another one
    differs from, and fails where a setting is new."""
    from allennlp.common.checks import ConfigurationError

    try:
        original(params, serialization_dir, recover, force)
    except ConfigurationError as error:
        config = Path(serialization_dir, "config.json")
        if force or not config.exists():
            raise
        directory = Path(serialization_dir)
        if not recover and not has_checkpoint(directory) and not is_finished(directory):
            raise ConfigurationError(
                f"{directory}: expected a new or an empty directory, found a training run that "
                "ended before its first checkpoint. --recover starts it again, if the "
                "configuration is the same; --force replaces it."
            ) from error
        place = "" if str(serialization_dir) in str(error) else f"{config}: "
        raise ConfigurationError(f"{place}{error} --force replaces this training run.") from error
    except KeyError as error:
        raise ConfigurationError(
            f"{error.args[0]}: expected only settings that the training to recover has, found "
            "a new one"
        ) from error


@wrap_in_commands("allennlp.common.util", "prepare_environment")
def name_invalid_seeds(original: Any, params: Any) -> None:
    """Generators of random numbers do not say which of three seeds is invalid."""
    for name in ("random_seed", *_SEEDS):
        seed, allowed = params.get(name), _SEEDS.get(name)
        if seed is not None and not _is_integer(seed, allowed):
            limits = f" from {allowed[0]} to {allowed[-1]}" if allowed else ""
            raise configuration_error(f"{name}: expected an integer{limits}, got {seed!r}")
    original(params)


def _is_integer(value: Any, allowed: Optional[range]) -> bool:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return False
    return allowed is None or number in allowed
