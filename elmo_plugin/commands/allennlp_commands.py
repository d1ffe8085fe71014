"""AllenNLP's own commands and plugins, imported only when a command needs them."""

from __future__ import annotations

import importlib.util
import logging
import os
from collections.abc import Iterable

COMMANDS = {
    "train": "Train a model.",
    "evaluate": "Evaluate a trained model on a data set.",
    "predict": "Predict with a trained model.",
    "print-results": "Print the metrics of trainings.",
    "find-lr": "Find a learning rate.",
    "build-vocab": "Build the vocabulary of a configuration.",
    "count-instances": "Count the training instances of a configuration.",
    "diff": "Compare the weights of two models.",
    "checklist": "Run a CheckList suite on a trained model.",
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


def import_plugins(packages: Iterable[str] = ()) -> None:
    """Import AllenNLP with all plugins and these packages, so that their classes are registered."""
    _import_allennlp()
    if not {"ALLENNLP_LOG_LEVEL", "ALLENNLP_DEBUG"} & os.environ.keys():
        logging.getLogger().setLevel(logging.WARNING)
    from allennlp import commands

    commands.import_plugins()
    for package in packages:
        commands.import_module_and_submodules(package)


def has_other_plugins() -> bool:
    """Return True if plugins besides ours and allennlp-models may have registered commands."""
    if importlib.util.find_spec("allennlp") is None:
        return False
    files = (".allennlp_plugins", os.path.expanduser("~/.allennlp/plugins"))
    modules = ("allennlp_semparse", "allennlp_server")
    return any(map(os.path.isfile, files)) or any(map(importlib.util.find_spec, modules))


def _import_allennlp() -> None:
    import allennlp.__main__  # noqa: F401  (sets up logging)

    # It says which plugins are available.
    logging.getLogger("allennlp.common.plugins").setLevel(logging.WARNING)
