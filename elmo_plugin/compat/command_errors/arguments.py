"""Arguments of AllenNLP's commands."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap


@wrap("allennlp.commands", "import_module_and_submodules")
def name_missing_packages(original: Any, package_name: str) -> None:
    """`--include-package` of a package that cannot be imported."""
    argument = f"--include-package {package_name}"
    if not all(part.isidentifier() for part in package_name.split(".")):
        raise configuration_error(f"{argument}: expected the name of a package")
    try:
        original(package_name)
    except ModuleNotFoundError as error:
        raise configuration_error(f"{argument}: {error}") from error


@wrap("allennlp.commands.print_results", "json.load")
def name_files_without_metrics(original: Any, file: Any) -> Any:
    """A file of the given name may not hold metrics."""
    try:
        content = original(file)
    except (ValueError, RecursionError) as error:
        raise configuration_error(f"{file.name}: expected JSON, found: {error}") from error
    if not isinstance(content, dict):
        raise configuration_error(f"{file.name}: expected an object, found {content!r:.80}")
    return content


@wrap("allennlp.commands.print_results", "os.walk")
def require_directory_of_runs(original: Any, path: str) -> Iterator[Any]:
    """For a path that is no directory, AllenNLP prints the heading alone."""
    found = list(original(path))
    if not found:
        raise configuration_error(f"{path}: expected a directory")
    yield from found
