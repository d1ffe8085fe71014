"""Functions, methods and libraries that are wrapped after the import of their module."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from elmo_plugin.compat.command import running_command, wrap_in_commands
from elmo_plugin.compat.patching import PATCHES, add_patches, wrap

SOURCE = '''
import json


def function(text: str, size: int = 3) -> list:
    """Return the arguments."""
    return [text, size]


class Class:
    def __init__(self, text: str, size: int = 3) -> None:
        self.values = text, size

    def method(self, text: str, size: int = 3) -> list:
        return [text, size]

    @classmethod
    def class_method(cls, text: str, size: int = 3) -> list:
        return [text, size]

    @staticmethod
    def static_method(text: str, size: int = 3) -> list:
        return [text, size]


class Derived(Class):
    pass
'''
METHODS = ("__init__", "method", "class_method", "static_method")
NAMES = ("allennlp.made_up", "allennlp.also_made_up")


@pytest.fixture(autouse=True)
def _no_patches_afterwards() -> Iterator[None]:
    yield
    for name in NAMES:
        PATCHES.pop(name, None)


def execute(name: str = NAMES[0]) -> Any:
    module = ModuleType(name)
    add_patches(lambda module: exec(SOURCE, vars(module)))(module)
    return module


def double(original: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function with twice its last positional argument, a text."""
    *others, text = args
    return original(*others, text * 2, **kwargs)


def test_each_kind_of_function_in_each_module() -> None:
    for path in ("function", *(f"Class.{name}" for name in METHODS)):
        assert wrap(*NAMES, path)(double) is double
    for module in map(execute, NAMES):
        assert module.function("a", size=1) == ["aa", 1]
        for kind in (module.Class, module.Derived):
            thing = kind("a", size=1)
            assert thing.values == ("aa", 1)
            for owner in (thing, kind):
                assert owner.class_method("a", size=1) == owner.static_method("a", size=1)
                assert owner.class_method("a") == ["aa", 3]
            assert thing.method("a") == ["aa", 3]


@pytest.mark.parametrize("decorator", [wrap, wrap_in_commands])
def test_metadata_and_signatures_are_kept(decorator: Any) -> None:
    before = execute()
    for path in ("function", *(f"Class.{name}" for name in METHODS)):
        decorator(NAMES[0], path)(double)
    after = execute()
    assert after.function.__doc__ == "Return the arguments."
    pairs = [(before.function, after.function), (before.Class, after.Class)]
    for name in METHODS:
        old, new = (inspect.getattr_static(module.Class, name) for module in (before, after))
        assert type(old) is type(new)
        pairs.append((getattr(before.Class, name), getattr(after.Class, name)))
    for old, new in pairs:
        assert new is not old and new.__qualname__ == old.__qualname__
        assert inspect.signature(new) == inspect.signature(old)


def test_a_class_gets_its_own_wrapper_of_a_method_that_it_inherits() -> None:
    wrap(NAMES[0], "Derived.class_method")(double)
    module = execute()
    assert module.Derived.class_method("a") == ["aa", 3]
    assert module.Class.class_method("a") == ["a", 3]


def test_the_first_wrapper_is_called_first() -> None:
    calls: list[str] = []
    for name in ("first", "second"):

        @wrap(NAMES[0], "function")
        def record(original: Any, *args: Any, name: str = name) -> Any:
            calls.append(name)
            return original(*args)

    assert execute().function("a") == ["a", 3]
    assert calls == ["first", "second"]


def test_a_library_is_changed_for_one_module_alone() -> None:
    @wrap(NAMES[0], "json.loads")
    def nest(original: Any, text: str) -> Any:
        return [original(text)]

    assert execute().json.loads("1") == [1]
    assert json.loads("1") == execute(NAMES[1]).json.loads("1") == 1


def test_wrappers_while_a_command_runs() -> None:
    wrap_in_commands(NAMES[0], "Class.class_method")(double)
    module = execute()
    assert module.Class.class_method("a", size=1) == ["a", 1]
    with running_command():
        assert module.Class.class_method("a", size=1) == ["aa", 1]
    assert module.Class.class_method("a", size=1) == ["a", 1]
