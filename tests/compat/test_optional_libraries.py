"""Libraries of extras that register nothing are neither needed nor imported by the plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import run_process

OPTIONAL = {"llvmlite", "numba", "ray", "triton"}
IMPORT = """
from allennlp.common.plugins import import_plugins
import_plugins()
"""
INCLUDE = """
from allennlp.common.util import import_module_and_submodules
import_module_and_submodules("elmo_plugin")
"""
PRINT = "from allennlp.training import Trainer; print('bilm' in Trainer.list_available())"


@pytest.mark.parametrize("imports", [IMPORT, INCLUDE], ids=["plugin", "include-package"])
def test_plugin_loads_without_optional_libraries(imports: str, tmp_path: Path) -> None:
    statements = "; ".join([*imports.strip().splitlines(), PRINT])
    # Blocked rather than among OPTIONAL, since pandas imports it.
    found = run_process(tmp_path, code=statements, blocked={"pyarrow"})
    assert found.status == 0 and found.output.split() == ["True"], found.errors
    assert not found.packages & OPTIONAL
