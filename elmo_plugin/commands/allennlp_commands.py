"""AllenNLP's own commands and plugins, imported only when a command needs them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

_CHECKLIST = (
    {"checklist": "Run a CheckList suite on a trained model."} if find_spec("checklist") else {}
)
COMMANDS = {
    "train": "Train a model.",
    "evaluate": "Evaluate a trained model on a dataset.",
    "predict": "Predict with a trained model.",
    "print-results": "Print the metrics of training runs.",
    "find-lr": "Find a learning rate.",
    "build-vocab": "Build the vocabulary of a configuration.",
    "count-instances": "Count the training instances of a configuration.",
    "diff": "Compare the weights of two models.",
    **_CHECKLIST,
    "cached-path": "Download a file to AllenNLP's cache.",
    "push-to-hf": "Upload a model to the Hugging Face Hub.",
    "test-install": "Test the installation of AllenNLP.",
}


def run_allennlp_command() -> None:
    """Run AllenNLP's command line on `sys.argv`, with this plugin loaded."""
    _import_allennlp()
    from allennlp import commands

    from elmo_plugin.commands.checked_parser import CheckedParser

    commands.ArgumentParserWithDefaults = CheckedParser  # type: ignore[misc]
    commands.main(prog="elmo")


@contextmanager
def plugins(packages: Iterable[str] = ()) -> Iterator[None]:
    """Run the block as a command of AllenNLP, with all plugins and these packages imported."""
    _import_allennlp()
    if not {"ALLENNLP_LOG_LEVEL", "ALLENNLP_DEBUG"} & os.environ.keys():
        logging.getLogger().setLevel(logging.WARNING)
    from allennlp import commands

    from elmo_plugin.compat.command import running_command

    with running_command():
        commands.import_plugins()
        for package in packages:
            commands.import_module_and_submodules(package)
        yield


def has_other_plugins() -> bool:
    """Return True if plugins that may define other commands are installed or listed in a file."""
    files = (".allennlp_plugins", os.path.expanduser("~/.allennlp/plugins"))
    modules = ("allennlp_semparse", "allennlp_server")
    return any(map(os.path.isfile, files)) or any(map(find_spec, modules))


def _import_allennlp() -> None:
    import allennlp.__main__  # noqa: F401  (sets up logging)

    # It says which plugins are available.
    logging.getLogger("allennlp.common.plugins").setLevel(logging.WARNING)
