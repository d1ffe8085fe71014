"""The package's structure: floors, no circles, and small files and functions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.helpers.imports import PACKAGE, Import, Module, read_imports, read_modules

FLOORS = (
    {"common"},
    {"layers"},
    {"weights"},
    {"pretrained", "compat"},
    {"data"},
    {"modules"},
    {"models"},
    {"tasks", "training", "predictors", "embedding", "allennlp_api"},
    {"experiments", "reporting", "integrations"},
    {"commands"},
)
"""Each imports only from itself, its own floor, and floors before it."""

COMPAT_IMPORTS = {"common", "layers", "weights", "compat"}

LIBRARIES = {
    "layers": {"torch"},
    "weights": {"torch", "numpy", "h5py"},
    "pretrained": {"torch"},
}
"""Libraries that these folders may import, beside the standard library."""

COMPILED = "layers.fast.compiled"
COMPILERS = {COMPILED: {"numba", "llvmlite", "numpy"}, "layers.fast.triton": {"triton"}}
"""Libraries that compiled loops may import besides."""

MAX_FILE_LINES, MAX_FUNCTION_LINES = 200, 40

MODULES = read_modules()
IMPORTS = read_imports(MODULES)


def _assert_none(offenders: Iterable[Import]) -> None:
    found = [str(i) for i in offenders]
    assert not found, "\n".join(found)


def _floor(name: str) -> int | None:
    folder = name.partition(".")[0]
    return next((i for i, floor in enumerate(FLOORS) if folder in floor), None)


def test_every_folder_has_a_floor() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == {folder for floor in FLOORS for folder in floor}


def test_floors_import_only_floors_below() -> None:
    _assert_none(
        found
        for found in IMPORTS
        if found.inner and (here := _floor(found.importer.name)) is not None
        if found.inner.partition(".")[0] != found.importer.folder
        if (there := _floor(found.inner)) is None or there > here
    )


def test_compat_imports_the_lowest_floors_only() -> None:
    _assert_none(
        found
        for found in IMPORTS
        if found.importer.folder == "compat" and found.inner
        if found.inner.partition(".")[0] not in COMPAT_IMPORTS
    )


def test_only_main_imports_commands() -> None:
    _assert_none(
        found
        for found in IMPORTS
        if (found.inner or "").partition(".")[0] == "commands"
        if found.importer.folder not in ("commands", "__main__")
    )


@pytest.mark.parametrize("folder", LIBRARIES)
def test_libraries_of_the_lower_floors(folder: str) -> None:
    allowed = {PACKAGE.name, *LIBRARIES[folder], *sys.stdlib_module_names}
    _assert_none(
        found
        for found in IMPORTS
        if found.importer.folder == folder and found.library not in allowed
        if not any(
            found.importer.name.startswith(name) and found.library in libraries
            for name, libraries in COMPILERS.items()
        )
    )


def test_layers_call_no_numpy() -> None:
    found = [
        f"{module.name}:{node.lineno}"
        for module in MODULES.values()
        if module.folder == "layers" and not module.name.startswith(COMPILED)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr == "numpy"
    ]
    assert not found


def test_only_the_backend_imports_the_fast_layers() -> None:
    _assert_none(
        found
        for found in IMPORTS
        if found.importer.folder == "layers" and not found.typing_only
        if (found.inner or "").startswith("layers.fast")
        if not found.importer.name.startswith("layers.fast")
        if found.importer.name != "layers.backend"
    )


def test_no_circular_imports() -> None:
    graph: dict[str, set[str]] = {}
    for found in IMPORTS:
        if found.inner in MODULES and not found.typing_only and found.importer.name:
            graph.setdefault(found.importer.name, set()).add(found.inner)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("module", MODULES.values(), ids=list(MODULES))
def test_files_and_functions_are_small(module: Module) -> None:
    lines = len(module.path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_FILE_LINES
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert _length(node) <= MAX_FUNCTION_LINES, node.name


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    docstring = (ast.get_docstring(node, clean=False) or "").count("\n") + 1
    return (node.end_lineno or 0) - node.lineno + 1 - docstring
