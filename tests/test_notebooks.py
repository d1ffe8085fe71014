"""The notebooks in examples/ run from top to bottom. `make docs` runs them too, in Jupyter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.helpers.docs import NOTEBOOKS, code_cells, name_of


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name_of)
def test_notebook_runs(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(notebook.parent)
    monkeypatch.setattr(pyplot, "show", pyplot.close)
    threads = torch.get_num_threads()
    names: dict[str, Any] = {}
    for cell in code_cells(notebook):
        exec(compile(cell, notebook.name, "exec"), names)
    torch.set_num_threads(threads)
