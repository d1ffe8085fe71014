"""Configurations that models complete, such as with the sizes of a biLM to start from."""

from typing import Any

from elmo_plugin.compat.configuration_hooks import HOOKS
from elmo_plugin.compat.patching import wrap


@wrap("allennlp.commands.train", "train_model")
def complete_configurations(original: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
    """AllenNLP writes config.json before there is a model, and ignores `pretrained_file` when it
    loads the archive: config.json must hold the sizes that the model takes from that file."""
    for complete in HOOKS:
        complete(params.params)
    return original(params, *args, **kwargs)
