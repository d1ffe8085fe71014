"""Text for a biLM, a sentence an instance."""

from collections.abc import Iterable
from itertools import chain

from allennlp.data import DatasetReader, Instance

from elmo_plugin.data.sentence_field import SentenceField
from elmo_plugin.data.text import read_sentences, text_files


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
        super().__init__(
            manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs
        )
        self.max_characters = max_characters

    def _read(self, file_path: str) -> Iterable[Instance]:
        sentences = chain.from_iterable(map(read_sentences, text_files(str(file_path))))
        for sentence in self.shard_iterable(sentences):
            yield self.text_to_instance(sentence)

    def text_to_instance(self, sentence: list[str]) -> Instance:
        """
        # Parameters

        sentence : `List[str]`
            Words, without boundaries.
        """
        return Instance({"text": SentenceField(sentence, self.max_characters)})
