"""Registers patches, and applies them when the modules that they change are imported.

Most patches wrap one function: see `wrap`. The others change a module: see `patch_module`. Among
the patches of one function, the one that is registered first is called first.
"""

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import wraps
from operator import attrgetter
from types import ModuleType
from typing import Any

Patch = Callable[[Any], AbstractContextManager[None]]
Wrapper = Callable[..., Any]
PATCHES: dict[str, list[Patch]] = defaultdict(list)


def wrap(*names: str) -> Callable[[Wrapper], Wrapper]:
    """
    Register a wrapper of a function, which replaces it after the import of its module.

    # Parameters

    names : `str`
        The modules, and last the function by its name in each of them: `function`, `Class.method`,
        or a function of a library that they import, such as `torch.load`. The latter is replaced
        for these modules only.

    # Returns

    `Callable` : a decorator of the wrapper, which it leaves as it is. AllenNLP calls the wrapper
        with the original function before the other arguments. The original of a method takes
        `self` or `cls`, as the wrapper does. A `/` after the original leaves its name to other
        arguments.
    """
    *modules, path = names

    def register(wrapper: Wrapper) -> Wrapper:
        @patch_module(*modules)
        def replace(module: Any) -> Iterator[None]:
            yield
            _replace(module, path, wrapper)

        return wrapper

    return register


def _replace(module: Any, path: str, wrapper: Wrapper) -> None:
    parent, _, name = path.rpartition(".")
    owner = attrgetter(parent)(module) if parent else module
    if isinstance(owner, ModuleType):
        replace_for(module, path, _add_wrapper(getattr(owner, name), wrapper))
        return
    method = inspect.getattr_static(owner, name)
    if isinstance(method, (classmethod, staticmethod)):
        setattr(owner, name, type(method)(_add_wrapper(method.__func__, wrapper)))
    else:
        setattr(owner, name, _add_wrapper(method, wrapper))


def _add_wrapper(original: Callable[..., Any], wrapper: Wrapper) -> Callable[..., Any]:
    """Wrap a function, with its name and signature: AllenNLP reads the keys of configurations from
    the signatures of constructors."""

    @wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        return wrapper(original, *args, **kwargs)

    return call


def patch_module(*names: str) -> Callable[[Callable[[Any], Iterator[None]]], Patch]:
    """Register a patch of the modules with these names: a generator function that takes a module.
    The part before its `yield` runs before the module is executed, the rest right after."""

    def register(steps: Callable[[Any], Iterator[None]]) -> Patch:
        patch = contextmanager(steps)
        for name in names:
            PATCHES[name].append(patch)
        return patch

    return register


def add_patches(exec_module: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    """Wrap a loader's `exec_module` in the patches of the module that it executes."""

    def execute(module: ModuleType) -> None:
        with ExitStack() as stack:
            for patch in PATCHES[module.__name__]:
                stack.enter_context(patch(module))
            exec_module(module)

    return execute


@contextmanager
def stub_modules(**modules: ModuleType) -> Iterator[None]:
    """Make `import` find these modules until the end of the block."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def replace_for(module: Any, path: str, value: Any) -> None:
    """
    Replace an attribute of a library for one module only.

    # Parameters

    module : `ModuleType`
        A module that imports the library.
    path : `str`
        The attribute by its name in the module, such as `torch.load`.
    value : `Any`
    """
    name, _, rest = path.partition(".")
    if rest:
        copy = _copy_module(getattr(module, name))
        replace_for(copy, rest, value)
        value = copy
    setattr(module, name, value)


def _copy_module(module: ModuleType) -> ModuleType:
    copy = ModuleType(module.__name__)
    copy.__dict__.update(module.__dict__)
    # For attributes that the original gets later.
    copy.__dict__["__getattr__"] = lambda name: getattr(module, name)
    return copy
