"""OntoNotes' files: their order and their ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from elmo_plugin.compat.counted_text import open_counted
from elmo_plugin.compat.patching import wrap


@wrap("allennlp_models.common.ontonotes", "Ontonotes.dataset_path_iterator")
def sort_files(original: Any, file_path: str) -> Iterator[str]:
    """AllenNLP reads a directory's files in the order of the file system, which differs between
    disks: the same seed would train on other batches."""
    yield from sorted(original(file_path))


@wrap("allennlp_models.common.ontonotes", "codecs.open")
@contextmanager
def read_whole_files(original: Any, *args: Any, **options: Any) -> Iterator[Iterator[str]]:
    """AllenNLP leaves out a last sentence that no empty line follows, and takes a byte order mark
    for text."""
    with open_counted(*args, **options) as text:
        yield _lines_and_end(text)


def _lines_and_end(text: Any) -> Iterator[str]:
    yield from text
    text.record_line(text.number + 1, "\n")
    yield "\n"
