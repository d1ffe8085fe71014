"""Configurations and overrides that are not Jsonnet or not objects, and values of other types."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from elmo_plugin.common.jsonnet_errors import jsonnet_problem
from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error

# By the package of the class: AllenNLP's classes take null for some strings, and a user's own may
# take it for anything.
_NEVER_NULL: dict[str, tuple[type, ...]] = {
    "elmo_plugin": (bool, int, float, str),
    **dict.fromkeys(("allennlp", "allennlp_models"), (bool, int, float)),
}


@wrap_in_commands("allennlp.common.params", "evaluate_file")
def shorten_errors_of_files(original: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Jsonnet's errors say what is wrong in which line; AllenNLP leaves them as `RuntimeError`."""
    with _short_errors("configuration", name):
        return original(name, *args, **kwargs)


@wrap_in_commands("allennlp.common.params", "evaluate_snippet")
def shorten_errors_of_overrides(original: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Overrides are Jsonnet, too."""
    with _short_errors("overrides", name):
        return original(name, *args, **kwargs)


@contextmanager
def _short_errors(kind: str, name: str) -> Iterator[None]:
    try:
        yield
    except IsADirectoryError as error:
        problem = f"{kind}: {name}: expected a file, found a directory"
        raise configuration_error(problem) from error
    except OSError as error:
        raise configuration_error(f"{name}: {error.strerror}") from error
    except (RuntimeError, UnicodeEncodeError) as error:
        raise configuration_error(f"{kind}: {jsonnet_problem(error)}") from error


@wrap_in_commands("allennlp.common.params", "parse_overrides")
def require_object_of_overrides(
    original: Any, serialized_overrides: str, *args: Any, **kwargs: Any
) -> Any:
    """Overrides that are not an object fail later, with another error."""
    return _check_object("overrides", original(serialized_overrides, *args, **kwargs))


@wrap_in_commands("allennlp.common.params", "with_overrides")
def require_known_overrides(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """AllenNLP's error for unused keys of overrides is a `ValueError`."""
    try:
        return original(*args, **kwargs)
    except ValueError as error:
        raise configuration_error(str(error)) from error


@wrap_in_commands("allennlp.common.params", "Params.from_file")
def require_object_in_file(
    original: Any, cls: Any, params_file: Any, *args: Any, **kwargs: Any
) -> Any:
    """Configurations that are not objects fail later, with another error."""
    params = original(cls, params_file, *args, **kwargs)
    _check_object(params_file, params.params)
    return params


def _check_object(name: Any, content: Any) -> Any:
    if not isinstance(content, dict):
        raise configuration_error(f"{name}: expected an object, got {content!r:.80}")
    return content


@wrap_in_commands("allennlp.common.from_params", "construct_arg")
def name_values_of_other_types(
    original: Any,
    /,
    class_name: str,
    name: str,
    value: Any,
    annotation: Any,
    default: Any,
    **extras: Any,
) -> Any:
    """AllenNLP's errors lack the value."""
    from allennlp.common import Lazy, Params
    from allennlp.common.checks import ConfigurationError

    problem = f"{name}: expected {_type_name(annotation)}, got {value!r:.80}"
    if _is_sequence(annotation) and not isinstance(value, Iterable):
        raise _OtherTypeError(problem)
    # A default may be `Lazy` or `None`.
    if _is_lazy(annotation) and not isinstance(value, (str, Params, Lazy, type(None))):
        raise _OtherTypeError(f"{name}: expected an object, got {value!r:.80}")
    try:
        return original(class_name, name, value, annotation, default, **extras)
    except (TypeError, ConfigurationError) as error:
        starts = (
            f"Expected {name} to be ",
            f"Failed to construct argument {name} with ",  # of a `Union`
            "from_params was passed a `params` object that was not",
        )
        if str(error).startswith(starts):
            raise _OtherTypeError(problem) from error
        raise


@wrap_in_commands("allennlp.common.from_params", "pop_and_construct_arg")
def name_keys_of_other_types(
    original: Any,
    /,
    class_name: str,
    name: str,
    annotation: Any,
    default: Any,
    params: Any,
    **extras: Any,
) -> Any:
    """AllenNLP's errors lack the path of the key, which `construct_arg` does not know."""
    try:
        return original(class_name, name, annotation, default, params, **extras)
    except _OtherTypeError as error:
        raise configuration_error(f"{params.history}{error}") from error


class _OtherTypeError(TypeError):
    """A value of another type, by its key without the path."""


def _is_sequence(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) in (list, tuple, set, Iterable)


def _is_lazy(annotation: Any) -> bool:
    """Return True for `Lazy[...]`, optional or not: the type of many objects in configurations."""
    from allennlp.common import Lazy

    if _is_union(annotation):
        return all(kind is type(None) or _is_lazy(kind) for kind in annotation.__args__)
    return getattr(annotation, "__origin__", annotation) is Lazy


def _is_union(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) is Union


def _type_name(annotation: Any) -> str:
    types = annotation.__args__ if _is_union(annotation) else [annotation]
    return " or ".join(getattr(one, "__name__", str(one)) for one in types)


@wrap_in_commands("allennlp.common.from_params", "create_kwargs")
def refuse_null_values(
    original: Any, /, constructor: Any, cls: Any, params: Any, **extras: Any
) -> Any:
    """AllenNLP passes null to any parameter; numbers and strings that are not optional then fail
    where they are used."""
    from allennlp.common.from_params import infer_params

    never_null = _NEVER_NULL.get(cls.__module__.partition(".")[0], ())
    for name, parameter in infer_params(cls, constructor).items():
        expected = parameter.annotation
        is_null = name in params and params.params[name] is None
        if not is_null or parameter.default is None:
            continue
        if expected in never_null or (_is_lazy(expected) and not _is_union(expected)):
            kind = expected.__name__ if expected in never_null else "an object"
            raise configuration_error(f"{params.history}{name}: expected {kind}, got null")
    return original(constructor, cls, params, **extras)


@wrap_in_commands("allennlp.common.from_params", "create_kwargs")
def refuse_booleans_for_integers(
    original: Any, /, constructor: Any, cls: Any, params: Any, **extras: Any
) -> Any:
    """AllenNLP takes true as 1."""
    from allennlp.common.from_params import infer_params

    for name, parameter in infer_params(cls, constructor).items():
        expected = [parameter.annotation, *getattr(parameter.annotation, "__args__", ())]
        value = params.params[name] if name in params else None
        if isinstance(value, bool) and int in expected and bool not in expected:
            raise configuration_error(
                f"{params.history}{name}: expected int, got {json.dumps(value)}"
            )
    return original(constructor, cls, params, **extras)
