"""Registers patches, and applies them when the modules that they change are imported.

A patch is a generator function that takes an AllenNLP module. The part before its `yield` runs
before the module is executed, the rest right after.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import ModuleType
from typing import Any

Patch = Callable[[Any], AbstractContextManager[None]]
PATCHES: dict[str, list[Patch]] = defaultdict(list)


def patch_module(*names: str) -> Callable[[Callable[[Any], Iterator[None]]], Patch]:
    """Register a patch of the modules with these names."""

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
