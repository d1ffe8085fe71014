"""The notebooks in examples/ run from top to bottom. `make docs` runs them too, in Jupyter."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.docs import NOTEBOOKS, code_cells, name_of


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name_of)
def test_imports_of_the_package(notebook: Path) -> None:
    """Run the imports alone: whole notebooks take too long for the fast tests."""
    statements = [s for cell in code_cells(notebook) for s in ast.walk(ast.parse(cell))]
    imports = [s for s in statements if isinstance(s, ast.ImportFrom)]
    of_package = [s for s in imports if str(s.module).split(".")[0] == "elmo_plugin"]
    assert of_package
    for statement in of_package:
        exec(ast.unparse(statement), {})


def test_nearest_words_are_as_many_as_readme_says() -> None:
    (notebook,) = (one for one in NOTEBOOKS if one.stem == "vectors_in_context")
    names: dict[str, Any] = {}
    for cell in code_cells(notebook):
        if "plt.subplots" not in cell and "plt.figure" not in cell:
            exec(compile(cell, notebook.name, "exec"), names)
        if "same" in names:
            break
    readme = " ".join((notebook.parents[1] / "README.md").read_text(encoding="utf-8").split())
    # Those of the last layer, the upper one.
    found = f"for {names['same']} of the {len(names['senses'])} occurrences of *bank*"
    assert found in readme


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name_of)
def test_notebook_runs(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(notebook.parent)
    monkeypatch.setattr(pyplot, "show", pyplot.close)
    names: dict[str, Any] = {}
    for cell in code_cells(notebook):
        exec(compile(cell, notebook.name, "exec"), names)
