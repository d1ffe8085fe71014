"""Configurations and overrides that are not Jsonnet, or not objects."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_ERROR_LENGTH = 600
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
                # A line of a damaged file may be very long.
                problem = str(error).strip()[:_ERROR_LENGTH]
                raise module.ConfigurationError(f"{kind}: {problem}") from error

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
            if is_null and expected in never_null and parameter.default is not None:
                raise module.ConfigurationError(
                    f"{cls.__name__}.{name}: expected {expected.__name__}, got null"
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
                    f"{cls.__name__}.{name}: expected int, got {json.dumps(value)}"
                )
        return original(constructor, cls, params, **extras)

    module.create_kwargs = in_commands(checked, otherwise=original)
