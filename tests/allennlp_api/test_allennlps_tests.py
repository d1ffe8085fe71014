"""benchmarks/allennlp_api_tests.py changes import lines, and nothing else."""

from __future__ import annotations

from pathlib import Path

import allennlp_api_tests
import pytest

TESTS = """import json
from allennlp.commands import main
from allennlp.commands.elmo import ElmoEmbedder
from allennlp.modules.elmo import _ElmoBiLm, Elmo
from allennlp.modules.token_embedders import ElmoTokenEmbedder
from allennlp.tests.modules.elmo_test import ElmoTestCase
NAME = "from allennlp.modules.elmo import"
"""


@pytest.mark.parametrize("state, api", [("zero", "elmo_plugin.allennlp_api"), ("carried", None)])
def test_import_lines(tmp_path: Path, state: str, api: str | None) -> None:
    (tmp_path / "a_test.py").write_text(TESTS)
    allennlp_api_tests.change_imports(tmp_path, [Path("a_test.py")], state)
    api = api or "carried_api"
    assert (tmp_path / "a_test.py").read_text().splitlines() == [
        "import json",
        "from old_command import main",
        f"from {api} import ElmoEmbedder",
        f"from {api} import _ElmoBiLm, Elmo",
        "from allennlp.modules.token_embedders import ElmoTokenEmbedder",
        "from tests.modules.elmo_test import ElmoTestCase",
        'NAME = "from allennlp.modules.elmo import"',
    ]


def test_tests_that_need_carried_state_run_from_it() -> None:
    zero, carried = (allennlp_api_tests.left_out(state) for state in ("zero", "carried"))
    assert carried < zero
    assert any(test.endswith("::test_elmo_bilm") for test in zero - carried)
