"""Data files that their reader cannot read."""

import textwrap
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

# Raised by readers for text in another format, which they use before they check it.
_READING_ERRORS = (
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_MAX_ERROR_CHARACTERS = 600


@patch_module("allennlp.data.dataset_readers.dataset_reader")
def name_unreadable_files(module: Any) -> Iterator[None]:
    """A reader's error for a file in another format does not name the file. A reader that finds
    nothing in it raises none, and training fails later."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.DatasetReader.read

    def checked(self: Any, file_path: Any) -> Iterator[Any]:
        count = 0
        try:
            for instance in original(self, file_path):
                count += 1
                yield instance
        except (ConfigurationError, *_READING_ERRORS) as error:
            message = str(error)
            if not isinstance(error, ConfigurationError) or str(file_path) not in message:
                message = (
                    f"{file_path}: {type(self).__name__} read {count} instances and then failed, "
                    f"is this its format? {type(error).__name__}: {message}"
                )
            message = textwrap.shorten(message, _MAX_ERROR_CHARACTERS)
            raise ConfigurationError(message) from error
        # A small file may have no instance for one of several workers.
        if count == 0 and self.get_worker_info() is None and self.get_distributed_info() is None:
            raise ConfigurationError(
                f"{file_path}: {type(self).__name__} found no instance in it, is this its format?"
            )

    module.DatasetReader.read = in_commands(checked, otherwise=original)


@patch_module("allennlp.training.util")
def require_dataset_reader(module: Any) -> Iterator[None]:
    """AllenNLP makes no reader from `null`, and fails when it reads."""
    yield
    original = module.data_loaders_from_params

    def checked(params: Any, *args: Any, **kwargs: Any) -> Any:
        if params.get("dataset_reader") is None:
            raise module.ConfigurationError("dataset_reader: expected an object, found none")
        return original(params, *args, **kwargs)

    module.data_loaders_from_params = in_commands(checked, otherwise=original)
