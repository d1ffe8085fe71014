"""`import elmo_plugin` costs nothing; its names need no AllenNLP."""

import json
import subprocess
import sys

import elmo_plugin

STEPS = """
import json, sys
sys.modules["allennlp"] = None  # importing it from here on is an error
before = set(sys.modules)
import elmo_plugin
light = sorted(set(sys.modules) - before)
names = [getattr(elmo_plugin, name) is not None for name in elmo_plugin.__all__]
print(json.dumps({"light": light, "names": names}))
"""


def test_imports() -> None:
    # With -S, site-packages' own start-up files do not import the package before we look.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path}\n{STEPS}"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert found["light"] == ["elmo_plugin"]
    assert all(found["names"]) and len(found["names"]) == len(elmo_plugin.__all__)


def test_every_name_is_found() -> None:
    assert set(elmo_plugin.__all__) <= set(dir(elmo_plugin))
    assert elmo_plugin.Bilm.__module__ == "elmo_plugin.layers.bilm"
