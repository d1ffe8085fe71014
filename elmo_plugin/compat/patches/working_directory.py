"""So that no file of the working directory runs that nobody named.

AllenNLP puts the working directory on Python's path, first as it imports itself and its plugins and
last from then on, and imports what lies there: data.py, models.py or training.py for its own
modules of these names, allennlp_server.py for a plugin that is not installed.

Here it is on the path only for a package in it that `--include-package` or a training's
configuration names: first as that package is imported, as AllenNLP has it, and last from then on,
for what the package imports later, in worker processes too.
"""

import importlib
import importlib.util
import logging
import os
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from importlib.machinery import PathFinder
from types import SimpleNamespace
from typing import Any, Optional

from elmo_plugin.compat.patching import patch_module

logger = logging.getLogger(__name__)


@patch_module("allennlp.common.util")
def import_packages_by_their_full_names(module: Any) -> Iterator[None]:
    """AllenNLP looks for a package's modules as if each were a package of its own."""
    yield

    @wraps(module.import_module_and_submodules)
    def import_module_and_submodules(package_name: str, exclude: Optional[set[str]] = None) -> None:
        with in_working_directory(package_name):
            _import_installed(package_name, exclude)

    module.import_module_and_submodules = import_module_and_submodules


@patch_module("allennlp.common.plugins")
def import_installed_plugins_only(module: Any) -> Iterator[None]:
    """A plugin is what is installed; `.allennlp_plugins` of the working directory may name one, as
    AllenNLP documents, but names no code beside itself."""
    yield
    module.import_module_and_submodules = _import_installed
    module.push_python_path = nullcontext
    module.sys = SimpleNamespace(path=[])  # Where AllenNLP would leave the working directory.
    original = module.discover_plugins

    @wraps(original)
    def discover_plugins() -> Iterator[str]:
        for name in original():
            if _lies_in_working_directory(name) and not _is_installed(name):
                logger.warning(
                    "%s names %s, which lies in the working directory and is not imported from "
                    "there unless asked for: --include-package %s",
                    module.LOCAL_PLUGINS_FILENAME,
                    name,
                    name,
                )
            else:
                yield name

    module.discover_plugins = discover_plugins


@contextmanager
def in_working_directory(name: str) -> Iterator[None]:
    """Has `import` find a package, or what is in it, in the working directory, if it lies there."""
    if _package(name) in sys.modules or not _lies_in_working_directory(name):
        yield
        return
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
        if here not in sys.path:
            sys.path.append(here)


def _import_installed(name: str, exclude: Optional[set[str]] = None) -> None:
    """Imports a package and its modules, but for those that are private, tests, or excluded."""
    importlib.invalidate_caches()
    excluded = set(exclude or ())
    if importlib.util.find_spec("checklist") is None:
        excluded.add("allennlp.confidence_checks.task_checklists")
    _import_with_submodules(name, excluded)


def _import_with_submodules(name: str, excluded: set[str]) -> None:
    if name in excluded:
        return
    folders = list(getattr(importlib.import_module(name), "__path__", []))[:1]
    for submodule in pkgutil.iter_modules(folders, f"{name}."):
        if not submodule.name.rpartition(".")[2].startswith(("_", "test")):
            _import_with_submodules(submodule.name, excluded)


def _lies_in_working_directory(name: str) -> bool:
    importlib.invalidate_caches()
    return PathFinder.find_spec(_package(name), [os.getcwd()]) is not None


def _is_installed(name: str) -> bool:
    return importlib.util.find_spec(_package(name)) is not None


def _package(name: str) -> str:
    return name.partition(".")[0]
