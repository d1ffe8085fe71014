"""Text for a biLM, a sentence an instance."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Optional

from allennlp.data import DatasetReader, Instance

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import read_lines, text_files
from elmo_plugin.data.language_modeling.sentence_field import SentenceField
from elmo_plugin.layers.char_ids import check_max_characters


@dataclass(frozen=True)
class Shard:
    """
    One file of a text. Iterating gives its sentences, each as a line; any number of times.

    # Parameters

    file : `str`
    limit : `int`, optional (default = `None`)
        Number of sentences to read; all, if not given.
    """

    file: str
    limit: Optional[int] = None

    def __iter__(self) -> Iterator[str]:
        with configuration_errors():
            yield from islice(read_lines(self.file), self.limit)


@DatasetReader.register("bilm_text")
class BilmTextReader(DatasetReader):
    """
    Reads one tokenized sentence a line, words apart by white space, UTF-8, from a file or a glob
    of files, plain or gzipped (`.gz`). Blank lines are passed over.

    Registered as a `DatasetReader` with name "bilm_text".

    # Parameters

    max_characters : `int`, optional (default = `50`)
        As the model's `max_characters`.
    """

    def __init__(self, max_characters: int = 50, **kwargs) -> None:  # type: ignore[no-untyped-def]
        with configuration_errors():
            check_max_characters(max_characters)
            super().__init__(
                manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs
            )
        self.max_characters = max_characters

    def _read(self, file_path: str) -> Iterable[Instance]:
        lines = chain.from_iterable(map(Shard, _files(str(file_path))))
        for line in self.shard_iterable(lines):
            yield self.text_to_instance(self.tokenize(line))

    def shards(self, file_path: str) -> list[Shard]:
        """
        The files that `read` takes its sentences from, in the same order and with the same
        `max_instances`, for those that read them in another order.
        """
        files = _files(file_path)
        if self.max_instances is None:
            return [Shard(file) for file in files]
        shards: list[Shard] = []
        left = self.max_instances
        for file in files:
            count = sum(1 for _ in Shard(file, left))
            shards.append(Shard(file, count))
            left -= count
            if not left:
                break
        return shards

    def tokenize(self, line: str) -> list[str]:
        """The words of a sentence as it stands in a file."""
        return line.split()

    def text_to_instance(self, sentence: list[str]) -> Instance:
        """
        # Parameters

        sentence : `List[str]`
            Words, without boundaries.
        """
        return Instance({"text": SentenceField(sentence, self.max_characters)})


@configuration_errors()
def _files(path: str) -> list[str]:
    return text_files(path)
