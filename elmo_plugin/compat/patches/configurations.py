"""Reading configurations with Jsonnet."""

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.common.params")
def read_files_in_python(module: Any) -> Iterator[None]:
    """Jsonnet ends the process at a directory, and at a file that it cannot read. The name of a
    configuration that is installed with this package is found from any directory."""
    yield
    from elmo_plugin.compat.jsonnet_imports import installed_path, read_import

    evaluate_snippet = partial(module.evaluate_snippet, import_callback=read_import)

    def evaluate_file(name: str, **options: Any) -> str:
        # Read once: a pipe is empty the second time.
        path, content = read_import("", name)
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: expected UTF-8, found {error}") from error
        return evaluate_snippet(path, text, **options)

    local_path = module.cached_path

    def cached_path(name: Any, *args: Any, **options: Any) -> Any:
        installed = installed_path(str(name))
        return local_path(name if os.path.exists(name) else installed or name, *args, **options)

    module.cached_path, module.evaluate_file = cached_path, evaluate_file
    module.evaluate_snippet = evaluate_snippet
