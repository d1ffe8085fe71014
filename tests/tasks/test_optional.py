"""Without allennlp-models, the plugin loads the modules that do not need it."""

import importlib.util
import runpy
from pathlib import Path

import pytest

import elmo_plugin.tasks

FILE = str(Path(elmo_plugin.tasks.__file__))


def test_package_without_allennlp_models_is_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "__path__" not in runpy.run_path(FILE)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert runpy.run_path(FILE)["__path__"] == []  # what `import_plugins` walks through
