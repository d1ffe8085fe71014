"""Imports files of the working directory only if the user names them.

AllenNLP puts the working directory on Python's path, first while it imports itself and its plugins,
and last from then on. Files there are then imported in place of its own modules (data.py,
models.py, training.py) or of plugins that are not installed (allennlp_server.py).

Here the working directory is on the path only for packages in it that `--include-package` or a
training's configuration names: first while such a package is imported, as in AllenNLP, and last
from then on, for later imports of the package, in worker processes too.
"""

import importlib
import importlib.util
import logging
import os
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.machinery import PathFinder
from typing import Any, Optional

from elmo_plugin.compat.command import is_command_running, wrap_in_commands
from elmo_plugin.compat.patching import patch_module, replace_for, wrap

logger = logging.getLogger(__name__)

_REGISTER_NOTHING = {
    "elmo_plugin.embedding.engines",
    "elmo_plugin.integrations",
    "elmo_plugin.layers.fast.compiled",
    "elmo_plugin.layers.fast.triton",
}
"""Packages that are imported only when they are used, as their libraries are optional or slow."""


@wrap("allennlp.common.util", "import_module_and_submodules")
def import_by_full_name(
    original: Any, package_name: str, exclude: Optional[set[str]] = None
) -> None:
    """AllenNLP searches for each module of a package as if it were a package of its own."""
    with in_working_directory(package_name):
        _import_installed(package_name, exclude)


@patch_module("allennlp.common.plugins")
def import_installed_plugins(module: Any) -> Iterator[None]:
    """AllenNLP searches for the plugins that it knows by name in the working directory too."""
    yield
    module.import_module_and_submodules = _import_installed
    module.push_python_path = nullcontext
    # AllenNLP would append the working directory to the path.
    replace_for(module, "sys.path", [])
    replace_for(module, "importlib.import_module", _import_plugin)


@wrap_in_commands("allennlp.common.plugins", "discover_plugins")
def discover_installed_plugins(original: Any) -> Iterator[str]:
    """`.allennlp_plugins` of the working directory may name plugins that lie in it."""
    from allennlp.common.plugins import LOCAL_PLUGINS_FILENAME

    for name in original():
        if _lies_in_working_directory(name) and not _is_installed(name):
            logger.warning(
                "%s names %s, which lies in the working directory and is not imported from "
                "there unless asked for: --include-package %s",
                LOCAL_PLUGINS_FILENAME,
                name,
                name,
            )
        else:
            yield name


def _import_plugin(name: str) -> Any:
    in_place = is_command_running() or _is_installed(name)
    with nullcontext() if in_place else in_working_directory(name):
        return importlib.import_module(name)


@contextmanager
def in_working_directory(name: str) -> Iterator[None]:
    """Import a package, or a module in it, from the working directory if it lies there."""
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
    """Import a package and its modules, except for private, test and excluded modules."""
    importlib.invalidate_caches()
    excluded = {*_REGISTER_NOTHING, *(exclude or ())}
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
