"""Indexers that do not fit the token embedders of a model."""

import inspect
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.modules.text_field_embedders.basic_text_field_embedder")
def name_indexers_of_other_embedders(module: Any) -> Iterator[None]:
    """The tensors of an indexer may not be those that its embedder takes."""
    yield
    original = module.BasicTextFieldEmbedder.forward

    def checked(self: Any, text_field_input: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, text_field_input, *args, **kwargs)
        except TypeError as error:
            for name, tensors in text_field_input.items():
                check(name, tensors, self._token_embedders[name], error)
            raise

    def check(name: str, tensors: Any, embedder: Any, cause: TypeError) -> None:
        expected = inspect.signature(embedder.forward)
        try:
            expected.bind_partial(**tensors)
        except TypeError:
            raise module.ConfigurationError(
                f"token_indexers.{name}: expected tensors that {type(embedder).__name__} takes "
                f"({', '.join(expected.parameters)}), found {', '.join(tensors)}"
            ) from cause

    module.BasicTextFieldEmbedder.forward = in_commands(checked, otherwise=original)
