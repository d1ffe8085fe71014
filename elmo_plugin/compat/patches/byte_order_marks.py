"""The byte order mark that some editors write before UTF-8, and that AllenNLP takes for text."""

import sys
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.counted_text import open_counted
from elmo_plugin.compat.patching import patch_module, wrap

_PACKAGES = ("allennlp.", "allennlp_models.", "elmo_plugin.")


@patch_module("allennlp.data.dataset_readers.dataset_reader")
def strip_from_data(module: Any) -> Iterator[None]:
    """Modules of AllenNLP and this package with a DatasetReader open text by another `open`."""
    yield
    reader = module.DatasetReader

    def __init_subclass__(cls: Any, /, **options: Any) -> None:
        super(reader, cls).__init_subclass__(**options)
        if cls.__module__.startswith(_PACKAGES):
            vars(sys.modules[cls.__module__]).setdefault("open", open_counted)

    reader.__init_subclass__ = classmethod(__init_subclass__)


@wrap("allennlp.common.file_utils", "open_compressed")
def strip_from_other_files(
    original: Any,
    filename: Any,
    mode: str = "rt",
    encoding: str | None = "UTF-8",
    **options: Any,
) -> Any:
    """Lines of JSON to predict from, and the text of some readers."""
    if encoding == "UTF-8" and mode in ("r", "rt"):
        encoding = "utf-8-sig"
    return original(filename, mode, encoding, **options)


@patch_module("allennlp.modules.token_embedders.embedding")
def strip_from_word_vectors(module: Any) -> Iterator[None]:
    """The first word would have no vector."""
    yield
    module.EmbeddingsTextFile.__init__.__defaults__ = ("utf-8-sig", None)
