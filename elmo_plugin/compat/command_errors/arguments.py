"""Arguments of AllenNLP's commands."""

import json
import os
from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module, replace_for


@patch_module("allennlp.commands")
def name_missing_packages(module: Any) -> Iterator[None]:
    """`--include-package` of a package that cannot be imported."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.import_module_and_submodules

    @wraps(original)
    def import_module_and_submodules(package_name: str) -> None:
        argument = f"--include-package {package_name}"
        if not all(part.isidentifier() for part in package_name.split(".")):
            raise ConfigurationError(f"{argument}: expected the name of a package")
        try:
            original(package_name)
        except ModuleNotFoundError as error:
            raise ConfigurationError(f"{argument}: {error}") from error

    module.import_module_and_submodules = import_module_and_submodules


@patch_module("allennlp.commands.print_results")
def name_files_without_metrics(module: Any) -> Iterator[None]:
    """A file of the given name may not hold metrics."""
    yield
    from allennlp.common.checks import ConfigurationError

    def load(file: Any) -> Any:
        try:
            content = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{file.name}: expected JSON, found: {error}") from error
        if not isinstance(content, dict):
            raise ConfigurationError(f"{file.name}: expected an object, found {content!r:.80}")
        return content

    replace_for(module, "json.load", load)


@patch_module("allennlp.commands.print_results")
def require_directory_of_runs(module: Any) -> Iterator[None]:
    """For a path that is no directory, AllenNLP prints the heading alone."""
    yield
    from allennlp.common.checks import ConfigurationError

    def walk(path: str) -> Iterator[Any]:
        found = list(os.walk(path))
        if not found:
            raise ConfigurationError(f"{path}: expected a directory")
        yield from found

    replace_for(module, "os.walk", walk)
