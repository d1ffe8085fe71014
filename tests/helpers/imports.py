"""The imports of the package's modules, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[2] / "elmo_plugin"


class Module(NamedTuple):
    name: str
    """Without the package's own name, as in `layers.bilm`; "" for the package."""
    path: Path
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.name.partition(".")[0]


class Import(NamedTuple):
    importer: Module
    name: str
    """Name of the imported module, as in `torch.nn` or `elmo_plugin.layers.bilm`."""
    typing_only: bool
    line: int

    @property
    def library(self) -> str:
        return self.name.partition(".")[0]

    @property
    def inner(self) -> str | None:
        """Name of a module of this package, without the package's; None for others."""
        package, _, name = self.name.partition(".")
        return name if package == PACKAGE.name else None

    def __str__(self) -> str:
        return f"{self.importer.path.relative_to(PACKAGE.parent)}:{self.line}: {self.name}"


def read_modules() -> dict[str, Module]:
    modules = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return modules


def read_imports(modules: dict[str, Module]) -> list[Import]:
    return [found for module in modules.values() for found in _imports(module, modules)]


def _imports(module: Module, modules: dict[str, Module]) -> Iterator[Import]:
    typing_only = {
        id(node)
        for block in ast.walk(module.tree)
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
        for node in ast.walk(block)
    }
    for node in ast.walk(module.tree):
        for name in _names(node, modules):
            yield Import(module, name, id(node) in typing_only, node.lineno)  # type: ignore


def _names(node: ast.AST, modules: dict[str, Module]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    assert node.module and not node.level, "expected absolute imports"
    _, _, inner = node.module.partition(".")
    names = [f"{inner}.{alias.name}".strip(".") for alias in node.names]
    # What is imported may be a module itself.
    if node.module.partition(".")[0] == PACKAGE.name and any(name in modules for name in names):
        return [f"{PACKAGE.name}.{name}" if name in modules else node.module for name in names]
    return [node.module]
