"""Without allennlp-models, the plugin loads the modules that do not need it."""

from pathlib import Path

from tests.helpers.command_line import run_process

# Hides a package as if it were not installed: `find_spec` returns None.
_HIDE = """
import importlib.machinery
find = importlib.machinery.PathFinder.find_spec
def find_spec(name, *rest):
    return None if name.partition(".")[0] == "allennlp_models" else find(name, *rest)
importlib.machinery.PathFinder.find_spec = staticmethod(find_spec)
from allennlp.common.util import import_module_and_submodules
import_module_and_submodules("elmo_plugin")
from allennlp.models import Model
print(*sorted({"bilm", "elmo_srl"} & {*Model.list_available()}))
"""


def test_plugin_without_allennlp_models(tmp_path: Path) -> None:
    ended = run_process(tmp_path, code=f"exec({_HIDE!r})")
    assert ended.status == 0, ended.errors
    assert ended.output.split() == ["bilm"]
