"""Configurations and overrides that are not Jsonnet or not objects, and values of other types."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Union

from elmo_plugin.common.jsonnet_errors import jsonnet_problem
from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

# By the package of the class: AllenNLP's classes take null for some strings, and a user's own may
# take it for anything.
_NEVER_NULL: dict[str, tuple[type, ...]] = {
    "elmo_plugin": (bool, int, float, str),
    **dict.fromkeys(("allennlp", "allennlp_models"), (bool, int, float)),
}


@patch_module("allennlp.common.params")
def shorten_jsonnet_errors(module: Any) -> Iterator[None]:
    """Jsonnet's errors say what is wrong in which line; AllenNLP leaves them as `RuntimeError`."""
    yield

    def named(evaluate: Callable[..., str], kind: str) -> Callable[..., str]:
        def checked(name: str, *args: Any, **kwargs: Any) -> str:
            try:
                return evaluate(name, *args, **kwargs)
            except IsADirectoryError as error:
                problem = f"{kind}: {name}: expected a file, found a directory"
                raise module.ConfigurationError(problem) from error
            except OSError as error:
                raise module.ConfigurationError(f"{name}: {error.strerror}") from error
            except (RuntimeError, UnicodeEncodeError) as error:
                raise module.ConfigurationError(f"{kind}: {jsonnet_problem(error)}") from error

        return in_commands(checked, otherwise=evaluate)

    module.evaluate_file = named(module.evaluate_file, "configuration")
    module.evaluate_snippet = named(module.evaluate_snippet, "overrides")


@patch_module("allennlp.common.params")
def require_objects(module: Any) -> Iterator[None]:
    """Overrides and configurations that are not objects fail later, with other errors."""
    yield
    parse, merge = module.parse_overrides, module.with_overrides
    from_file = module.Params.from_file.__func__

    def parse_checked(serialized_overrides: str, *args: Any, **kwargs: Any) -> Any:
        return check_object("overrides", parse(serialized_overrides, *args, **kwargs))

    def merge_checked(*args: Any, **kwargs: Any) -> Any:
        try:
            return merge(*args, **kwargs)
        except ValueError as error:
            raise module.ConfigurationError(str(error)) from error

    def read_checked(cls: Any, params_file: Any, *args: Any, **kwargs: Any) -> Any:
        params = from_file(cls, params_file, *args, **kwargs)
        check_object(params_file, params.params)
        return params

    def check_object(name: Any, content: Any) -> Any:
        if not isinstance(content, dict):
            raise module.ConfigurationError(f"{name}: expected an object, got {content!r:.80}")
        return content

    module.parse_overrides = in_commands(parse_checked, otherwise=parse)
    module.with_overrides = in_commands(merge_checked, otherwise=merge)
    module.Params.from_file = classmethod(in_commands(read_checked, otherwise=from_file))


@patch_module("allennlp.common.from_params")
def name_keys_of_other_types(module: Any) -> Iterator[None]:
    """AllenNLP's errors lack the path of the key, and the value."""
    yield
    construct, pop_and_construct = module.construct_arg, module.pop_and_construct_arg

    def construct_checked(
        class_name: str, name: str, value: Any, annotation: Any, default: Any, **extras: Any
    ) -> Any:
        problem = f"{name}: expected {_type_name(annotation)}, got {value!r:.80}"
        if _is_sequence(annotation) and not isinstance(value, Iterable):
            raise _OtherTypeError(problem)
        # A default may be `Lazy` or `None`.
        objects = (str, module.Params, module.Lazy, type(None))
        if _is_lazy(annotation) and not isinstance(value, objects):
            raise _OtherTypeError(f"{name}: expected an object, got {value!r:.80}")
        try:
            return construct(class_name, name, value, annotation, default, **extras)
        except (TypeError, module.ConfigurationError) as error:
            starts = (
                f"Expected {name} to be ",
                f"Failed to construct argument {name} with ",  # of a `Union`
                "from_params was passed a `params` object that was not",
            )
            if str(error).startswith(starts):
                raise _OtherTypeError(problem) from error
            raise

    def pop_and_construct_checked(
        class_name: str, name: str, annotation: Any, default: Any, params: Any, **extras: Any
    ) -> Any:
        try:
            return pop_and_construct(class_name, name, annotation, default, params, **extras)
        except _OtherTypeError as error:
            raise module.ConfigurationError(f"{params.history}{error}") from error

    module.construct_arg = in_commands(construct_checked, otherwise=construct)
    module.pop_and_construct_arg = in_commands(
        pop_and_construct_checked, otherwise=pop_and_construct
    )


class _OtherTypeError(TypeError):
    """A value of another type, by its key without the path, which `construct_arg` does not know."""


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


@patch_module("allennlp.common.from_params")
def refuse_null_values(module: Any) -> Iterator[None]:
    """AllenNLP passes null to any parameter; numbers and strings that are not optional then fail
    where they are used."""
    yield
    original = module.create_kwargs

    def checked(constructor: Any, cls: Any, params: Any, **extras: Any) -> Any:
        never_null = _NEVER_NULL.get(cls.__module__.partition(".")[0], ())
        for name, parameter in module.infer_params(cls, constructor).items():
            expected = parameter.annotation
            is_null = name in params and params.params[name] is None
            if not is_null or parameter.default is None:
                continue
            if expected in never_null or (_is_lazy(expected) and not _is_union(expected)):
                kind = expected.__name__ if expected in never_null else "an object"
                raise module.ConfigurationError(
                    f"{params.history}{name}: expected {kind}, got null"
                )
        return original(constructor, cls, params, **extras)

    module.create_kwargs = in_commands(checked, otherwise=original)


@patch_module("allennlp.common.from_params")
def refuse_booleans_for_integers(module: Any) -> Iterator[None]:
    """AllenNLP takes true as 1."""
    yield
    original = module.create_kwargs

    def checked(constructor: Any, cls: Any, params: Any, **extras: Any) -> Any:
        for name, parameter in module.infer_params(cls, constructor).items():
            expected = [parameter.annotation, *getattr(parameter.annotation, "__args__", ())]
            value = params.params[name] if name in params else None
            if isinstance(value, bool) and int in expected and bool not in expected:
                raise module.ConfigurationError(
                    f"{params.history}{name}: expected int, got {json.dumps(value)}"
                )
        return original(constructor, cls, params, **extras)

    module.create_kwargs = in_commands(checked, otherwise=original)
