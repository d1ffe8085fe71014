"""Values in a configuration that the class that they are for refuses."""

import inspect
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_CONSTRUCTOR_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


@patch_module("allennlp.common.from_params")
def name_keys_of_invalid_values(module: Any) -> Iterator[None]:
    """The errors of constructors, of this package, AllenNLP, PyTorch or a user, do not say which
    object of the configuration they are about."""
    yield
    original = module.FromParams.from_params.__func__

    def checked(cls: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
        # AllenNLP keeps no history of the objects in a dictionary: the object around it is named.
        path = getattr(params, "history", "").removesuffix(".")
        # An empty object has no history either: its class is named.
        path = path or (cls.__name__ if isinstance(params, module.Params) and not params else "")
        try:
            return original(cls, params, *args, **kwargs)
        except _CONSTRUCTOR_ERRORS as error:
            if not path:
                raise
            raise module.ConfigurationError(f"{path}: {error or type(error).__name__}") from error

    module.FromParams.from_params = classmethod(in_commands(checked, otherwise=original))


@patch_module("allennlp.common.from_params")
def check_names_before_reading(module: Any) -> Iterator[None]:
    """AllenNLP looks up the classes of model and trainer after it has read all data."""
    yield
    from allennlp.common.registrable import Registrable

    original = module.construct_arg

    def checked(class_name: str, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(class_name, name, value, *args, **kwargs)
        if isinstance(result, module.Lazy) and isinstance(value, module.Params) and "type" in value:
            registrable = result._constructor
            if registrable in Registrable._registry:
                check_name(registrable, value)
        return result

    def check_name(registrable: Any, value: Any) -> None:
        kind = value.get("type")
        if not isinstance(kind, str):
            raise module.ConfigurationError(f"{value.history}type: expected a name, got {kind!r}")
        try:
            registrable.resolve_class_name(kind)
        except module.ConfigurationError as error:
            raise module.ConfigurationError(f"{value.history}type: {error}") from error

    module.construct_arg = in_commands(checked, otherwise=original)


@patch_module("allennlp.training.gradient_descent_trainer")
def refuse_unknown_trainer_settings(module: Any) -> Iterator[None]:
    """AllenNLP's trainers ignore settings that they do not have."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer.from_partial_objects.__func__
    known = inspect.signature(original).parameters

    def checked(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if unknown := sorted(kwargs.keys() - known):
            raise module.ConfigurationError(
                f"trainer: expected settings of {cls.__name__}, got {', '.join(unknown)}"
            )
        return original(cls, *args, **kwargs)

    trainer.from_partial_objects = classmethod(in_commands(checked, otherwise=original))
