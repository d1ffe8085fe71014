"""Reading configurations with Jsonnet."""

import os
from collections.abc import Iterator
from functools import partial, wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.common.params")
def read_files_in_python(module: Any) -> Iterator[None]:
    """Jsonnet ends the process at a directory, and at a file that it cannot read."""
    yield
    from elmo_plugin.compat.jsonnet_imports import read_import

    original = module.evaluate_file

    @wraps(original)
    def evaluate_file(name: str, **options: Any) -> str:
        if os.path.exists(name):
            with open(name, "rb") as file:
                file.read(1)
        return original(name, import_callback=read_import, **options)

    module.evaluate_file = evaluate_file
    module.evaluate_snippet = partial(module.evaluate_snippet, import_callback=read_import)
