"""The DataLoader `bilm_streams`: batches for training a biLM."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import int_to_device, is_distributed
from allennlp.data import DataLoader, DatasetReader, Instance, TensorDict, Vocabulary
from allennlp.nn.util import move_to_device
from torch import distributed

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.lm_batches import LmBatchBuilder
from elmo_plugin.data.language_modeling.prefetch import prefetch
from elmo_plugin.data.language_modeling.streams import Batch, StreamBatches, StreamState
from elmo_plugin.data.language_modeling.text_fingerprint import FileFingerprint, fingerprint
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE


@DataLoader.register("bilm_streams")
class BilmStreamLoader(DataLoader):
    """
    Cuts text into windows for truncated backpropagation through time. A batch has `batch_size`
    streams of `unroll_steps` tokens in each direction. Each stream continues where it ended in the
    batch before, so a model may carry its state along. In distributed training, each process reads
    different sentences.

    Registered as a `DataLoader` with name "bilm_streams".

    # Parameters

    reader : `BilmTextReader`
        Finds the files and splits their lines into words; its `max_instances` limits the sentences.
    data_path : `str`
        A file or a glob, one tokenized sentence per line.
    batch_size : `int`, optional (default = `128`)
        Streams in each direction, per process.
    unroll_steps : `int`, optional (default = `20`)
        Tokens per stream in a batch.
    batches_per_epoch : `int`, optional (default = `None`)
        If not given, the number of batches in the text, which is then read once before training
        starts. The next epoch continues in the text where this one ended.
    seed : `int`, optional (default = `13370`)
        Seed of the shuffling.
    prefetch : `int`, optional (default = `16`)
        Batches that a worker process prepares ahead; 0 to build them in this process.
    cuda_device : `int`, optional (default = `None`)
        Device of the batches, -1 for the CPU; `None` for that of the trainer.

    # Raises

    `ConfigurationError` : another reader, a size that is too small, no text, fewer sentences than
    streams, or less text than one batch.
    """

    def __init__(
        self,
        reader: DatasetReader,
        data_path: str,
        batch_size: int = 128,
        unroll_steps: int = 20,
        batches_per_epoch: Optional[int] = None,
        seed: int = 13370,
        prefetch: int = 16,
        cuda_device: Optional[int] = None,
    ) -> None:
        self.reader = _check_reader(reader)
        _check_minimum("batch_size", batch_size, 1)
        _check_minimum("unroll_steps", unroll_steps, 1)
        _check_minimum("batches_per_epoch", batches_per_epoch, 1)
        _check_minimum("prefetch", prefetch, 0)
        self.data_path = data_path
        self.files = self.reader.files(data_path)
        self.batch_size = batch_size
        self.unroll_steps = unroll_steps
        self.seed = seed
        self.prefetch = prefetch
        self._rank = distributed.get_rank() if is_distributed() else 0
        self._world_size = distributed.get_world_size() if is_distributed() else 1
        self._device = None if cuda_device is None else int_to_device(cuda_device)
        self._builder: Optional[LmBatchBuilder] = None
        self._batches: Optional[Iterator[tuple[Batch, StreamState]]] = None
        self._streams: Optional[StreamState] = None
        self._batches_read = 0
        self._batches_to_skip = 0
        self._length = self._count_batches(batches_per_epoch)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[TensorDict]:
        for _ in range(self._length):
            if self._batches_to_skip:
                self._batches_to_skip -= 1
                yield {}
                continue
            batch: TensorDict = {"text": self._next_batch()}
            yield batch if self._device is None else move_to_device(batch, self._device)

    def iter_instances(self) -> Iterator[Instance]:
        return iter(self.reader.read(self.data_path))

    def index_with(self, vocab: Vocabulary) -> None:
        word_ids = vocab.get_token_to_index_vocabulary(NAMESPACE)
        self._builder = LmBatchBuilder(word_ids, self.reader.max_characters)

    def set_target_device(self, device: torch.device) -> None:
        self._device = device

    def fingerprint(self) -> dict[str, FileFingerprint]:
        """Return the fingerprints of the text's files."""
        return fingerprint(file.path for file in self.files)

    def state_dict(self) -> dict[str, Any]:
        """Return the position after the last batch, as values that JSON can hold."""
        return {"batches_read": self._batches_read, "streams": self._streams}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """
        Resume with the next batch. The batches before it, which AllenNLP's trainer iterates over
        again to count them, are yielded empty.

        # Raises

        `ConfigurationError` : a state of version 0.2.0, which lacks the positions of the sentences.
        """
        if any("streams" not in direction for direction in (state["streams"] or {}).values()):
            raise ConfigurationError(
                "expected a checkpoint of this version of elmo_plugin, found one of version 0.2.0: "
                "resume it with that version, or start a new training from its weights "
                "(training_configs/bilm/finetune.jsonnet)"
            )
        self._batches_read = self._batches_to_skip = state["batches_read"]
        self._streams = state["streams"]
        self._batches = None

    def _next_batch(self) -> Batch:
        # One iterator for all epochs: the streams continue.
        if self._batches is None:
            self._batches = self._all_batches()
        batch, self._streams = next(self._batches)
        self._batches_read += 1
        return batch

    def _all_batches(self) -> Iterator[tuple[Batch, StreamState]]:
        assert self._builder is not None, "the loader has no vocabulary yet"
        batches = StreamBatches(
            self.files,
            self.reader.tokenize,
            self._builder,
            self.batch_size,
            self.unroll_steps,
            self.seed,
            self._rank,
            self._world_size,
            self._streams,
        )
        return prefetch(batches, self.prefetch) if self.prefetch else iter(batches)

    def _count_batches(self, expected: Optional[int]) -> int:
        """Return the batches per epoch. If they are given, read only the text of one batch."""
        streams, predictions, sentences = self.batch_size * self._world_size, 0, 0
        for line in chain.from_iterable(self.files):
            sentences += 1
            # In each direction, the words and the sentence's end.
            predictions += len(self.reader.tokenize(line)) + 1
            enough = sentences >= streams and predictions >= streams * self.unroll_steps
            if expected is not None and enough:
                return expected
        batches = predictions // (streams * self.unroll_steps)
        if sentences < streams or not batches:
            raise ConfigurationError(
                f"{self.data_path}: expected text for {streams} streams of {self.unroll_steps} "
                f"words, found {sentences} sentences of {predictions} words with sentence ends"
            )
        return batches


def _check_reader(reader: DatasetReader) -> BilmTextReader:
    if not isinstance(reader, BilmTextReader):
        raise ConfigurationError(
            f"bilm_streams: expected the dataset reader bilm_text, got {type(reader).__name__}"
        )
    return reader


def _check_minimum(name: str, value: Optional[int], minimum: int) -> None:
    if value is not None and value < minimum:
        raise ConfigurationError(f"{name}: expected at least {minimum}, got {value}")
