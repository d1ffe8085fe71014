"""OntoNotes' files: their order and their ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from elmo_plugin.common.counted_text import open_counted
from elmo_plugin.compat.patching import patch_module, replace_for


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


@patch_module("allennlp_models.common.ontonotes")
def read_whole_files(module: Any) -> Iterator[None]:
    """AllenNLP leaves out a last sentence that no empty line follows, and takes a byte order mark
    for text."""
    yield

    @contextmanager
    def open_lines(*args: Any, **options: Any) -> Iterator[Iterator[str]]:
        with open_counted(*args, **options) as text:
            yield lines_and_end(text)

    def lines_and_end(text: Any) -> Iterator[str]:
        yield from text
        text.record_line(text.number + 1, "\n")
        yield "\n"

    replace_for(module, "codecs.open", open_lines)
