"""Reading configurations with today's Jsonnet."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.common.params")
def import_files_in_python(module: Any) -> Iterator[None]:
    """Jsonnet ends the process when a configuration imports a directory."""
    yield
    from elmo_plugin.compat.jsonnet_imports import read_import

    module.evaluate_file = partial(module.evaluate_file, import_callback=read_import)
    module.evaluate_snippet = partial(module.evaluate_snippet, import_callback=read_import)
