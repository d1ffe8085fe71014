"""Values in a configuration that the class that they are for refuses."""

import inspect
from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error

_CONSTRUCTOR_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


@wrap_in_commands("allennlp.common.from_params", "FromParams.from_params")
def name_keys_of_invalid_values(
    original: Any, /, cls: Any, params: Any, *args: Any, **kwargs: Any
) -> Any:
    """The errors of constructors, of this package, AllenNLP, PyTorch or a user, do not say which
    object of the configuration they are about."""
    from allennlp.common import Params

    # AllenNLP keeps no history of the objects in a dictionary: the object around it is named.
    path = getattr(params, "history", "").removesuffix(".")
    # An empty object has no history either: its class is named.
    path = path or (cls.__name__ if isinstance(params, Params) and not params else "")
    try:
        return original(cls, params, *args, **kwargs)
    except _CONSTRUCTOR_ERRORS as error:
        if not path:
            raise
        raise configuration_error(f"{path}: {error or type(error).__name__}") from error


@wrap_in_commands("allennlp.common.from_params", "construct_arg")
def check_names_before_reading(
    original: Any, /, class_name: str, name: str, value: Any, *args: Any, **kwargs: Any
) -> Any:
    """AllenNLP looks up the classes of model and trainer after it has read all data."""
    from allennlp.common import Lazy, Params, Registrable

    result = original(class_name, name, value, *args, **kwargs)
    if isinstance(result, Lazy) and isinstance(value, Params) and "type" in value:
        registrable = result._constructor
        if registrable in Registrable._registry:
            _check_name(registrable, value)
    return result


def _check_name(registrable: Any, value: Any) -> None:
    from allennlp.common.checks import ConfigurationError

    kind = value.get("type")
    if not isinstance(kind, str):
        raise ConfigurationError(f"{value.history}type: expected a name, got {kind!r}")
    try:
        registrable.resolve_class_name(kind)
    except ConfigurationError as error:
        raise ConfigurationError(f"{value.history}type: {error}") from error


@wrap_in_commands(
    "allennlp.training.gradient_descent_trainer", "GradientDescentTrainer.from_partial_objects"
)
def refuse_unknown_trainer_settings(original: Any, cls: Any, *args: Any, **kwargs: Any) -> Any:
    """AllenNLP's trainers ignore settings that they do not have."""
    if unknown := sorted(kwargs.keys() - inspect.signature(original).parameters):
        raise configuration_error(
            f"trainer: expected settings of {cls.__name__}, got {', '.join(unknown)}"
        )
    return original(cls, *args, **kwargs)
