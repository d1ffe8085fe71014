"""The DataLoader `bilm_streams`: batches for a biLM's training."""

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
from elmo_plugin.data.language_modeling.streams import State, StreamWindows
from elmo_plugin.data.language_modeling.text_fingerprint import FileFingerprint, fingerprint
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE


@DataLoader.register("bilm_streams")
class BilmStreamLoader(DataLoader):
    """
    Cuts text into windows for truncated backpropagation. A batch has `batch_size` rows of
    `unroll_steps` words in each direction; each row continues where the same row of the batch
    before ended, so a model may carry its state along. In a distributed training
    each process reads sentences of its own.

    Registered as a `DataLoader` with name "bilm_streams".

    # Parameters

    reader : `BilmTextReader`
        Finds the files and makes words of their lines; its `max_instances` limits the sentences.
    data_path : `str`
        A file or a glob, one tokenized sentence a line.
    batch_size : `int`, optional (default = `128`)
        Streams in each direction, in each process.
    unroll_steps : `int`, optional (default = `20`)
        Words of a window.
    batches_per_epoch : `int`, optional (default = `None`)
        Batches of an epoch; as many as the text has, if not given, for which all of it is read
        before the training starts. The next epoch goes on in the text where this one ended.
    seed : `int`, optional (default = `13370`)
        Of the shuffling.
    prefetch : `int`, optional (default = `16`)
        Batches that a process of its own makes ahead; 0 to make each when it is asked for.

    # Raises

    `ConfigurationError` : another reader, a size that is too small, no text, fewer sentences than
    streams, or less text than one window of all streams.
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
        if not isinstance(reader, BilmTextReader):
            raise ConfigurationError(
                f"bilm_streams: expected the dataset reader bilm_text, got {type(reader).__name__}"
            )
        _at_least("batch_size", batch_size, 1)
        _at_least("unroll_steps", unroll_steps, 1)
        _at_least("prefetch", prefetch, 0)
        if batches_per_epoch is not None:
            _at_least("batches_per_epoch", batches_per_epoch, 1)
        self.reader = reader
        self.data_path = data_path
        self.shards = reader.shards(data_path)
        self.batch_size = batch_size
        self.unroll_steps = unroll_steps
        self.seed = seed
        self.prefetch = prefetch
        self._rank = distributed.get_rank() if is_distributed() else 0
        self._world_size = distributed.get_world_size() if is_distributed() else 1
        self._device = None if cuda_device is None else int_to_device(cuda_device)
        self._windows: Optional[LmBatchBuilder] = None
        self._batches: Optional[Iterator[tuple[dict[str, torch.Tensor], State]]] = None
        self._streams: Optional[State] = None
        self._read = 0
        self._to_skip = 0
        self._length = self._count_batches(batches_per_epoch)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[TensorDict]:
        for _ in range(self._length):
            if self._to_skip:
                self._to_skip -= 1
                yield {}
                continue
            batch: TensorDict = {"text": self._next_window()}
            yield batch if self._device is None else move_to_device(batch, self._device)

    def iter_instances(self) -> Iterator[Instance]:
        return iter(self.reader.read(self.data_path))

    def index_with(self, vocab: Vocabulary) -> None:
        word_ids = vocab.get_token_to_index_vocabulary(NAMESPACE)
        self._windows = LmBatchBuilder(word_ids, self.reader.max_characters)

    def set_target_device(self, device: torch.device) -> None:
        self._device = device

    def fingerprint(self) -> dict[str, FileFingerprint]:
        """Fingerprint of the files that the text is read from."""
        return fingerprint(shard.file for shard in self.shards)

    def state_dict(self) -> dict[str, Any]:
        """Where the streams are after the last batch that was given."""
        return {"read": self._read, "streams": self._streams}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """
        Go on with the batch after those. The batches before it, which AllenNLP's trainer asks for
        again to count them, are then empty ones.
        """
        self._read = self._to_skip = state["read"]
        self._streams = state["streams"]
        self._batches = None

    def _next_window(self) -> dict[str, torch.Tensor]:
        # One iterator for all epochs, as the streams run on.
        if self._batches is None:
            self._batches = self._all_batches()
        window, self._streams = next(self._batches)
        self._read += 1
        return window

    def _all_batches(self) -> Iterator[tuple[dict[str, torch.Tensor], State]]:
        assert self._windows is not None, "the loader has not been given its vocabulary"
        windows = StreamWindows(
            self.shards,
            self.reader.tokenize,
            self._windows,
            self.batch_size,
            self.unroll_steps,
            self.seed,
            self._rank,
            self._world_size,
            self._streams,
        )
        return prefetch(windows, self.prefetch) if self.prefetch else iter(windows)

    def _count_batches(self, expected: Optional[int]) -> int:
        """Batches of an epoch. Where the number is given, reads text for one batch only."""
        streams, predictions, sentences = self.batch_size * self._world_size, 0, 0
        for line in chain.from_iterable(self.shards):
            sentences += 1
            # Each word in turn and the sentence's end, in each direction.
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


def _at_least(name: str, size: int, least: int) -> None:
    if size < least:
        raise ConfigurationError(f"{name}: expected at least {least}, got {size}")
