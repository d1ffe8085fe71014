"""The DatasetReader `bilm_text`: one sentence per line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Optional

from allennlp.data import DatasetReader, Instance

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import read_lines, sentence_files
from elmo_plugin.data.language_modeling.sentence_field import SentenceField
from elmo_plugin.layers.char_ids import check_max_characters


@dataclass(frozen=True)
class TextFile:
    """
    One file of a text. Iterating yields its sentences as lines, each time from the start.

    # Parameters

    path : `str`
    max_sentences : `int`, optional (default = `None`)
        Number of sentences to read; all, if not given.
    """

    path: str
    max_sentences: Optional[int] = None

    def __iter__(self) -> Iterator[str]:
        with configuration_errors():
            yield from islice(read_lines(self.path), self.max_sentences)


@DatasetReader.register("bilm_text")
class BilmTextReader(DatasetReader):
    """
    Reads one tokenized sentence per line, words separated by white space, in UTF-8, from a file or
    a glob of files, plain or gzipped (`.gz`). Skips blank lines.

    Registered as a `DatasetReader` with name "bilm_text".

    # Parameters

    max_characters : `int`, optional (default = `50`)
        Character ids per word; has to be the model's `max_characters`.
    """

    def __init__(self, max_characters: int = 50, **kwargs: Any) -> None:
        with configuration_errors():
            check_max_characters(max_characters)
            super().__init__(
                manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs
            )
        self.max_characters = max_characters

    def _read(self, file_path: str) -> Iterable[Instance]:
        lines = chain.from_iterable(map(TextFile, _files(str(file_path))))
        for line in self.shard_iterable(lines):
            yield self.text_to_instance(self.tokenize(line))

    def files(self, file_path: str) -> list[TextFile]:
        """
        Return the files that `read` takes its sentences from, in the same order and with the same
        `max_instances`, for callers that read them in another order.
        """
        paths = _files(file_path)
        if self.max_instances is None:
            return [TextFile(path) for path in paths]
        files: list[TextFile] = []
        remaining = self.max_instances
        for path in paths:
            number = sum(1 for _ in TextFile(path, remaining))
            files.append(TextFile(path, number))
            remaining -= number
            if not remaining:
                break
        return files

    def tokenize(self, line: str) -> list[str]:
        """Split a line into words."""
        return line.split()

    def text_to_instance(self, sentence: list[str]) -> Instance:
        """
        Return an instance with the field "text".

        # Parameters

        sentence : `List[str]`
            Words, without BOS and EOS.
        """
        return Instance({"text": SentenceField(sentence, self.max_characters)})


@configuration_errors()
def _files(path: str) -> list[str]:
    return sentence_files(path)
