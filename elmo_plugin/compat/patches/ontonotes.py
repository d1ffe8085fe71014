"""Order of OntoNotes' files."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp_models.common.ontonotes")
def sort_files(module: Any) -> Iterator[None]:
    """AllenNLP reads a directory's files in the order of the file system, which differs between
    disks: the same seed would train on other batches."""
    yield
    original = module.Ontonotes.dataset_path_iterator

    @wraps(original)
    def dataset_path_iterator(file_path: str) -> Iterator[str]:
        yield from sorted(original(file_path))

    module.Ontonotes.dataset_path_iterator = staticmethod(dataset_path_iterator)
