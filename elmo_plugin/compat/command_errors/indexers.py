"""Indexers that do not fit the token embedders of a model."""

import inspect
from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error


@wrap_in_commands(
    "allennlp.modules.text_field_embedders.basic_text_field_embedder",
    "BasicTextFieldEmbedder.forward",
)
def name_indexers_of_other_embedders(
    original: Any, self: Any, text_field_input: Any, *args: Any, **kwargs: Any
) -> Any:
    """The tensors of an indexer may not be those that its embedder takes."""
    try:
        return original(self, text_field_input, *args, **kwargs)
    except TypeError as error:
        for name, tensors in text_field_input.items():
            _check(name, tensors, self._token_embedders[name], error)
        raise


def _check(name: str, tensors: Any, embedder: Any, cause: TypeError) -> None:
    expected = inspect.signature(embedder.forward)
    try:
        expected.bind_partial(**tensors)
    except TypeError:
        raise configuration_error(
            f"token_indexers.{name}: expected tensors that {type(embedder).__name__} takes "
            f"({', '.join(expected.parameters)}), found {', '.join(tensors)}"
        ) from cause
