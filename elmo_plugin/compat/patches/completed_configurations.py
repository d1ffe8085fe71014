"""Configurations that models complete, such as with the sizes of a biLM to start from."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.configuration_hooks import HOOKS
from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.commands.train")
def complete_configurations(module: Any) -> Iterator[None]:
    """AllenNLP writes config.json before there is a model, and ignores `pretrained_file` when it
    loads the archive: config.json must hold the sizes that the model takes from that file."""
    yield
    original = module.train_model

    @wraps(original)
    def train_model(params: Any, *args: Any, **kwargs: Any) -> Any:
        for complete in HOOKS:
            complete(params.params)
        return original(params, *args, **kwargs)

    module.train_model = train_model
