"""The sentences that ELMo embeds in a task's data, read by the task's own reader."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.fields import Field, ListField, TextField
from allennlp.data.token_indexers import ELMoTokenCharactersIndexer

from elmo_plugin.data.sentence import Sentence

DATA_SETS = ("train_data_path", "validation_data_path", "test_data_path")


def task_sentences(config: Params) -> Iterator[Sentence]:
    """
    Yield all text fields with the token indexer "elmo_characters" of the datasets in a training
    run's configuration, duplicates included.

    # Raises

    `ConfigurationError` : there is no such field, or no reader.
    """
    reader_config = config.get("dataset_reader")
    validation_config = config.get("validation_dataset_reader") or reader_config
    for used in (reader_config, validation_config):
        if not isinstance(used, Params):
            raise ConfigurationError(f"dataset_reader: expected an object, found {used!r:.80}")
    empty = True
    for name in DATA_SETS:
        if config.get(name) is None:
            continue
        used = reader_config if name == "train_data_path" else validation_config
        for instance in DatasetReader.from_params(used.duplicate()).read(config[name]):
            for sentence in _sentences(instance.fields.values()):
                empty = False
                yield sentence
    if empty:
        raise ConfigurationError(
            f"{', '.join(DATA_SETS)}: expected text with the token indexer elmo_characters, "
            "found none"
        )


def data_paths(config: Params) -> list[str]:
    """Return the data paths that `task_sentences` reads and that are strings."""
    return [path for name in DATA_SETS if isinstance(path := config.get(name), str)]


def _sentences(fields: Iterable[Field[Any]]) -> Iterator[Sentence]:
    for field in fields:
        if isinstance(field, ListField):
            yield from _sentences(field.field_list)
        elif isinstance(field, TextField):
            for indexer in field.token_indexers.values():
                if isinstance(indexer, ELMoTokenCharactersIndexer):
                    yield from _split_sentences(field, indexer)


def _split_sentences(field: TextField, indexer: ELMoTokenCharactersIndexer) -> Iterator[Sentence]:
    # The same ids that the embedder is given. The indexer may number a document's sentences.
    indexed = indexer.tokens_to_indices(field.tokens, Vocabulary())
    numbers = indexed.get("sentences", [1] * len(field.tokens))
    rows = zip(numbers, field.tokens, indexed["elmo_tokens"])
    for _, sentence in groupby(rows, key=itemgetter(0)):
        _, tokens, ids = zip(*sentence)
        words = [token.ensure_text() for token in tokens]
        yield Sentence(words, torch.tensor(ids, dtype=torch.int16))
