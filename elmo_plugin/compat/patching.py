"""Registers patches and runs them around the execution of the modules that they are for.

A patch is a generator that is given an AllenNLP module: what stands before its `yield` runs before
the module is executed, the rest right after.
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
    """Registers a patch for the modules of these names."""

    def register(steps: Callable[[Any], Iterator[None]]) -> Patch:
        patch = contextmanager(steps)
        for name in names:
            PATCHES[name].append(patch)
        return patch

    return register


def patched(exec_module: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    """A loader's `exec_module` with the module's patches around it."""

    def execute(module: ModuleType) -> None:
        with ExitStack() as stack:
            for patch in PATCHES[module.__name__]:
                stack.enter_context(patch(module))
            exec_module(module)

    return execute


@contextmanager
def stub_modules(**modules: ModuleType) -> Iterator[None]:
    """Has `import` find these modules, until the end of the block."""
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
