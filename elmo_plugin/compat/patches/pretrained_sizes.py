"""Sizes of a biLM that training starts from."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.commands.train")
def record_pretrained_sizes(module: Any) -> Iterator[None]:
    """AllenNLP writes config.json before there is a model, and ignores `pretrained_file` when it
    loads the archive: config.json must hold the sizes that the model takes from that file."""
    yield
    original = module.train_model

    @wraps(original)
    def train_model(params: Any, *args: Any, **kwargs: Any) -> Any:
        model = params.params.get("model")
        is_bilm = isinstance(model, dict) and model.get("type") == "bilm"
        if is_bilm and isinstance(model.get("pretrained_file"), str):
            from elmo_plugin.models.pretrained import record_pretrained_config

            record_pretrained_config(params.params)
        return original(params, *args, **kwargs)

    module.train_model = train_model
